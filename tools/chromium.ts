// Finds a Chromium on this machine, for the tests in a browser and for the pictures in the README.
import { accessSync, constants } from 'node:fs'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Its path: what CHROMIUM names, else where systems have it; null if there is none. */
export function findChromium(): string | null {
  const { CHROMIUM: named } = process.env
  const places = named === undefined || named === '' ? PLACES : [named]
  return places.find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
