// Preloaded into a process: prints, when it exits, which packages of node_modules and which rooms it loaded.
import { registerHooks } from 'node:module'
import process from 'node:process'

const loaded = new Set<string>()
registerHooks({
  load(url, context, nextLoad) {
    const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/|\/(src\/[^/]+)\//.exec(url)
    const one = name?.[1] ?? name?.[2]
    if (one !== undefined) loaded.add(one)
    return nextLoad(url, context)
  },
})
process.on('exit', () => process.stderr.write(`loaded ${[...loaded].toSorted().join(' ')}\n`))
