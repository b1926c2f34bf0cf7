import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { watchSources } from '../src/dev/watch-sources.ts'

it('names every source of a change: one that is saved together with .env is compiled', async () => {
  const root = await mkdtemp(join(tmpdir(), 'pawl-watch-'))
  await mkdir(join(root, 'src'))
  const changes: (readonly string[])[] = []
  const watched = watchSources(root, { folders: ['src'], files: ['.env'] }, (paths) => changes.push(paths))
  try {
    for (const path of ['src/handler.ts', '.env', 'src/handler.test.ts']) await writeFile(join(root, path), '')
    await expect.poll(() => new Set(changes.flat())).toEqual(new Set(['src/handler.ts', '.env']))
    expect(changes).toHaveLength(1)
  } finally {
    watched.close()
    await rm(root, { recursive: true })
  }
})
