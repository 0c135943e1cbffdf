// A process of its own that opens the business system's file and changes it behind its back: the real second writer.
import { applyChange, businessChangeSchema } from './changes.ts'
import { openDatabase } from './database.ts'

const [file = '', change = ''] = process.argv.slice(2)

try {
  makeChange()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

function makeChange(): void {
  const wanted = businessChangeSchema.parse(JSON.parse(change))
  const database = openDatabase(file, { create: false })
  const changed = database.transaction(() => applyChange(database, wanted)).immediate()
  database.close()
  switch (changed.kind) {
    case 'changed':
      return
    case 'refused':
      throw new Error(`${changed.subject} cannot be changed: ${changed.code}`)
    case 'malformed':
      throw new Error(changed.detail)
  }
}
