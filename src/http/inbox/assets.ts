// The files that pages load, from disk: nothing is asked of anybody outside.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

const ASSETS = {
  'inbox.css': 'text/css; charset=utf-8',
  'inbox.js': 'text/javascript; charset=utf-8',
  'inbox.svg': 'image/svg+xml',
} as const

/** One of them. */
export type AssetName = keyof typeof ASSETS

/** A file, with a short digest of what is in it. */
export interface InboxAsset {
  readonly mediaType: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly digest: string
}

const known = new Map<AssetName, Promise<InboxAsset>>()

/** A file by its name; null for what is none of them. The name is looked up and never a path. */
export async function readInboxAsset(name: string): Promise<InboxAsset | null> {
  return isAsset(name) ? assetOf(name) : null
}

/** Where a page loads it from. The digest is in the address, so that a browser may keep what it has. */
export async function assetPath(base: string, name: AssetName): Promise<string> {
  return `${base}/inbox/assets/${name}?v=${(await assetOf(name)).digest}`
}

async function assetOf(name: AssetName): Promise<InboxAsset> {
  const found = known.get(name) ?? read(name)
  known.set(name, found)
  return found
}

async function read(name: AssetName): Promise<InboxAsset> {
  const bytes = new Uint8Array(await readFile(new URL(`assets/${name}`, import.meta.url)))
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  return { mediaType: ASSETS[name], bytes, digest }
}

function isAsset(name: string): name is AssetName {
  return Object.hasOwn(ASSETS, name)
}
