import { expect, it } from 'vitest'
import { loadedBy } from './support/loaded-by.ts'

it('a start waits for no query builder, driver or queue: the thread of the ledger, a setting or the first file loads them', async () => {
  const loaded = [...(await loadedBy('src/main.ts'))]
  const from = (name: string) => loaded.filter((file) => file.startsWith(`node_modules/${name}/`))
  expect(from('express')).not.toEqual([])
  expect(['kysely', 'pg', 'bullmq', 'ioredis', 'file-type'].filter((name) => from(name).length > 0)).toEqual([])
})
