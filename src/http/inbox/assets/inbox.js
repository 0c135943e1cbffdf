// Keeps an inbox page fresh: it looks whether the page would say something else now, and never changes what is under a finger.
const LOOK_MS = 15_000
const root = document.documentElement
const { tag = '', whenChanged = 'tell' } = root.dataset

// A second click on a button that was pressed sends nothing more. The server would take it for what it is, too.
let sent = new WeakSet()
document.addEventListener('submit', (event) => {
  if (sent.has(event.target)) event.preventDefault()
  sent.add(event.target)
})

// A page that comes back out of the browser's memory can be used again.
window.addEventListener('pageshow', () => {
  sent = new WeakSet()
})

async function look() {
  if (document.visibilityState !== 'visible') return
  const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store', redirect: 'error' })
  const now = answer.headers.get('ETag') ?? ''
  if (!answer.ok || now === '' || now === `"${tag}"`) return
  const isTyping = document.activeElement?.matches('input, textarea, select') === true
  if (whenChanged === 'reload' && !isTyping) location.reload()
  else document.querySelector('#changed').hidden = false
}

// What cannot be reached now is looked at again later.
if (tag !== '') setInterval(() => look().catch(() => {}), LOOK_MS)
document.addEventListener('visibilitychange', () => {
  if (tag !== '') look().catch(() => {})
})
