// The files of Swagger UI, from disk: the page of the documentation asks nobody outside.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** What the page loads, and as what. Nothing else is served. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

/** One file. */
export interface Asset {
  readonly mediaType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The folder of Swagger UI, which is an optional peer; null where it is not installed. */
export function swaggerFolder(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  } catch {
    return null
  }
}

/** A file by its name; null for what is none of them. The name is looked up and never a path. */
export async function readAsset(folder: string, name: string): Promise<Asset | null> {
  const mediaType = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined
  if (mediaType === undefined) return null
  return { mediaType, bytes: new Uint8Array(await readFile(join(folder, name))) }
}
