// A temporary folder on the disk that is measured.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Does something in a folder of its own, which is gone afterwards. `TMPDIR` says on which disk. */
export async function inFolder<Result>(act: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  try {
    return await act(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
