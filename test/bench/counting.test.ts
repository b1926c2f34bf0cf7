import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Sqlite } from '../../packages/base/src/sqlite.ts'
import { answerCounter } from '../../bench/statement-counter.ts'
import { watchPages } from '../../bench/written-pages.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-counting-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('counts rows, b-trees, pages and commits that another connection writes', () => {
  const file = join(folder, 'ledger.db')
  const writer = new Sqlite(file)
  writer.pragma('journal_mode = WAL')
  writer.exec(`create table plain (content text);
    create index plain_content on plain (content);
    create table keyed (id text primary key, content text) without rowid;
    insert into keyed values ('a', 'before'), ('b', 'before'), ('c', 'before')`)
  const pages = watchPages(file)
  pages.begin()
  expect(pages.size()).toBe(0)
  writer.exec("insert into plain values ('one')")
  writer.exec("update keyed set content = 'after' where id = 'a'; delete from keyed where id = 'b'")
  const { bytes, ...counted } = pages.end()
  // Plain and its index share a commit; the update and the deletion have one each.
  expect(counted).toEqual({ rows: 3, trees: 3, pages: 4, commits: 3 })
  expect(bytes).toBe(32 + 4 * (24 + 4_096))
  pages.begin()
  expect(pages.end()).toEqual({ rows: 0, trees: 0, pages: 0, bytes: 0, commits: 0 })
  pages.close()
  writer.close()
})

const message = (type: string, content = '') => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length + 4)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content)])
}

it('counts statements in the answers of PostgreSQL, however they are cut', () => {
  const answers = [
    message('R', '0000'),
    message('C', 'BEGIN'),
    message('Z', 'T'),
    message('D', 'CZCZ'),
    message('C', 'SELECT 1'),
    message('Z', 'T'),
  ]
  const bytes = Buffer.concat(answers)
  for (const size of [1, 3, 7, bytes.length]) {
    const counted = { statements: 0 }
    const count = answerCounter(counted)
    for (let at = 0; at < bytes.length; at += size) count(bytes.subarray(at, at + size))
    expect(counted).toEqual({ statements: 2 })
  }
})
