// Rotates keys in a process of its own, which is killed at one of its calls of the store.
import process from 'node:process'
import { localKeyring } from '../../../src/runtime/keys/local-keyring.ts'
import { rotateKeys } from '../../../src/runtime/keys/rotate-keys.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { killedStore } from './killed-store.ts'

const [path = '', keys = '', nth = '', when = ''] = process.argv.slice(2)
const store = await sqliteStore(path)
const killed = killedStore(store)
killed.arm(Number(nth), when === 'before' ? 'before' : 'after')
const { rewrapped } = await rotateKeys({ store: killed.store, keyring: localKeyring(keys) })
process.stdout.write(`${rewrapped}\n`)
await store.close()
