// The business system as it is installed: compiled to JavaScript, and without the optional driver.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from './fixture.ts'

const run = promisify(execFile)
const repository = fileURLToPath(new URL('../../../', import.meta.url))

describe('the business system', () => {
  it('starts, and is written to by its second writer, from JavaScript too', async () => {
    const folder = folderWith(['zod', 'better-sqlite3'])
    await compileInto(folder)

    const printed = await runScript(
      folder,
      `import { startBusinessSystem } from './dist/testing/business-system/start.js'
       import { BusinessClient } from './dist/testing/business-system/client.js'
       const system = await startBusinessSystem({ file: 'business.db' })
       await system.changeOrder('ORD-1001', '25.00')
       console.log((await new BusinessClient(system.url).readOrder('ORD-1001')).refunded.amount)
       await system.stop()`,
    )

    expect(printed).toBe('25.00\n')
  })

  it('says what to install where better-sqlite3 is missing', async () => {
    const folder = folderWith(['zod'])
    cpSync(join(repository, 'src'), join(folder, 'src'), { recursive: true })

    const printed = await runScript(
      folder,
      `import { startBusinessSystem } from './src/testing/business-system/start.ts'
       await startBusinessSystem({ file: 'business.db' }).catch((error) => console.log(error.message))`,
    )

    expect(printed).toBe('the example business system needs the package better-sqlite3: npm install better-sqlite3\n')
  })
})

/** A folder with the named packages installed and no others. */
function folderWith(packages: readonly string[]): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'node_modules'))
  for (const name of packages) symlinkSync(join(repository, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  return folder
}

// Types are not checked again here; what matters is what the build writes.
async function compileInto(folder: string): Promise<void> {
  const entries = ['start', 'main', 'second-writer', 'client']
  const config = {
    extends: join(repository, 'tsconfig.build.json'),
    compilerOptions: { rootDir: join(repository, 'src'), outDir: join(folder, 'dist'), types: [], noCheck: true },
    include: entries.map((name) => join(repository, 'src/testing/business-system', `${name}.ts`)),
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  await run(join(repository, 'node_modules/.bin/tsc'), ['-p', folder])
}

async function runScript(folder: string, script: string): Promise<string> {
  writeFileSync(join(folder, 'script.js'), script)
  return (await run(process.execPath, ['script.js'], { cwd: folder })).stdout
}
