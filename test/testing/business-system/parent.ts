// A parent for the process tests: starts a business system, says where it is, and then ends or stays.
import { startBusinessSystem } from '../../../src/testing/business-system/start.ts'

const [file = '', then = ''] = process.argv.slice(2)
const { processId, url } = await startBusinessSystem({ file })
process.stdout.write(JSON.stringify({ processId, url }))
if (then === 'stay') setInterval(() => {}, 60_000)
