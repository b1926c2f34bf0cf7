import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { openStorage } from '../src/open-storage.ts'
import { describeOnSqlite } from './on-each-storage.ts'
import { execute } from './filled-ledger.ts'

const readText = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)

describeOnSqlite('the tables of a ledger', (newPath) => {
  it('are those of its schema, each in docs/design.md once', async () => {
    const path = newPath()
    await (await openStorage(`file:${path}`, { clock: Date, onError: () => {} })).db.destroy()
    const made = await execute(`file:${path}`, "select name from sqlite_schema where type = 'table'")
    // The migrator keeps its own.
    const tables = made.map(({ name }) => String(name)).filter((name) => !/^(kysely|sqlite)_/.test(name))
    const [, section = ''] = (await readText('../../../docs/design.md')).split(/^## Tables$/m)
    const [documented = ''] = section.split('\n\n').filter((part) => part.startsWith('| table'))
    expect(namesIn(documented, /^\| `(\w+)`/gm).toSorted()).toEqual(tables.toSorted())
    const [, typed = ''] = (await readText('../src/tables.ts')).split('export interface Tables {')
    expect(namesIn(typed, /^ {2}(\w+): \{$/gm).toSorted()).toEqual(tables.toSorted())
  })
})
