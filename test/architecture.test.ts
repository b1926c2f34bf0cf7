import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type Import, importsOf } from './support/imports.ts'

/** What every room may import besides its own files and packages; a name after `type ` only as types. Rooms without an entry here may not exist. */
const rooms: Record<string, readonly string[] | 'anything'> = {
  // The process and the composition root.
  'main.ts': ['config.ts', 'errors.ts', 'gateway.ts', 'integration', 'log.ts'],
  'gateway.ts': 'anything',
  'config.ts': ['errors.ts'],
  'server.ts': ['errors.ts'],
  'closers.ts': ['type log.ts'],
  'errors.ts': [],
  'log.ts': ['errors.ts'],
  'clock.ts': [],
  'postgres-pool.ts': [],
  'fetch.ts': ['errors.ts'],
  'retry-after.ts': [],
  // What `#pawl` and `#pawl/connector` give.
  'index.ts': ['work', 'events', 'errors.ts', 'resources', 'api', 'connectors', 'type systems', 'type log.ts'],
  'connector.ts': ['connectors', 'errors.ts', 'fetch.ts', 'clock.ts', 'type systems', 'type ledger', 'type log.ts'],
  // The nouns.
  resources: [],
  events: ['resources'],
  // The journey.
  receive: ['events', 'errors.ts', 'type ledger', 'type clock.ts', 'type log.ts'],
  ledger: ['resources', 'errors.ts', 'postgres-pool.ts', 'clock.ts', 'type log.ts'],
  queue: ['errors.ts', 'postgres-pool.ts', 'type log.ts'],
  work: [
    'ledger',
    'events',
    'systems',
    'resources',
    'errors.ts',
    'log.ts',
    'config.ts',
    'type api',
    'type queue',
    'type clock.ts',
  ],
  poll: ['ledger', 'work', 'systems', 'events', 'resources', 'errors.ts', 'type api', 'type log.ts'],
  systems: ['ledger', 'resources', 'errors.ts', 'log.ts', 'type api'],
  // The fork's own room, and what is shipped for it.
  integration: ['#pawl', '#pawl/connector', '#pawl/gateway', 'templates'],
  templates: ['#pawl'],
  // The other systems.
  api: ['resources', 'errors.ts', 'postgres-pool.ts', 'clock.ts', 'fetch.ts', 'retry-after.ts', 'type log.ts'],
  connectors: ['resources', 'errors.ts', 'clock.ts', 'fetch.ts', 'retry-after.ts', 'type systems', 'type log.ts'],
  sandbox: ['resources', 'type clock.ts'],
  // Those who look on.
  console: ['ledger', 'queue', 'api', 'sandbox', 'errors.ts', 'type clock.ts', 'type log.ts'],
  cli: 'anything',
}

/** Who passes the environment on to config.ts, the only one that reads it. */
const mayTouchEnvironment = /^src\/(main\.ts|config\.ts|cli\/|integration\/)/

const root = fileURLToPath(new URL('..', import.meta.url))

interface SourceFile {
  path: string
  text: string
}

const files: SourceFile[] = ['src', 'templates'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(root, path).split(sep).join('/'), text: readFileSync(path, 'utf8') })),
)

function roomOf(path: string): string {
  const [top = '', second = ''] = path.split('/')
  if (top === 'src') return second
  return top === 'templates' ? top : path
}

/** Where an import leads: a path from the root of the project, `#pawl`, or `undefined` for a package. */
function targetOf(from: string, { specifier }: Import): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier)
  return specifier.startsWith('#') ? specifier : undefined
}

/** Imports of a file that its room does not allow, as `from -> to`. */
function forbiddenIn({ path, text }: SourceFile): string[] {
  const room = roomOf(path)
  const allowed = rooms[room]
  if (allowed === undefined) return [`${path} is in no room that the architecture knows`]
  return importsOf(text).flatMap((each) => {
    const target = each.specifier === '(computed)' ? each.specifier : targetOf(path, each)
    if (target === undefined) return []
    // What ships works without the tests.
    if (target.startsWith('test/')) return [`${path} -> ${target}`]
    if (allowed === 'anything' || roomOf(target) === room) return []
    const name = roomOf(target)
    const isAllowed = allowed.includes(name) || (each.isTypeOnly && allowed.includes(`type ${name}`))
    return isAllowed ? [] : [`${path} -> ${target}`]
  })
}

describe('the architecture', () => {
  it('knows every room, and every room that it knows exists', () => {
    expect([...new Set(files.map(({ path }) => roomOf(path)))].toSorted()).toEqual(Object.keys(rooms).toSorted())
  })

  it.each(Object.keys(rooms))('lets %s import only what its room may', (room) => {
    expect(files.filter(({ path }) => roomOf(path) === room).flatMap(forbiddenIn)).toEqual([])
  })

  it('has one composition root, which only the process and the command line know', () => {
    const importers = (target: string) =>
      files.filter(({ path, text }) => importsOf(text).some((each) => targetOf(path, each) === target))
    const rootImporters = importers('src/gateway.ts').map(({ path }) => roomOf(path))
    expect(new Set(rootImporters)).toEqual(new Set(['main.ts', 'cli']))
    const configImporters = importers('src/config.ts').map(({ path }) => roomOf(path))
    expect(new Set(configImporters)).toEqual(new Set(['main.ts', 'gateway.ts', 'cli', 'work']))
  })

  it('has the environment read in one place', () => {
    const readers = files.filter(({ text }) =>
      /process\s*(\?\.|\.)\s*env\b|\benv\b[^'\n]*from 'node:process'/.test(text),
    )
    expect(readers.map(({ path }) => path).filter((path) => !mayTouchEnvironment.test(path))).toEqual([])
  })
})

describe('the reading of imports', () => {
  const check = (path: string, text: string) => forbiddenIn({ path, text })

  it('finds what is forbidden, however it is written', () => {
    const forbidden = [
      `import { createLedger } from '../ledger/create-ledger.ts'`,
      `import type { Ledger } from '../ledger/ledger.ts'`,
      `import {\n  createLedger,\n  type Ledger,\n} from '../ledger/create-ledger.ts'`,
      `import '../ledger/create-ledger.ts'`,
      `export * from '../ledger/create-ledger.ts'`,
      `export { createLedger } from '../ledger/create-ledger.ts'`,
      `import * as ledger from '../ledger/create-ledger.ts'`,
      `const ledger = await import('../ledger/create-ledger.ts')`,
      `const anything = await import(name)`,
    ]
    expect(forbidden.filter((text) => check('src/queue/x.ts', text).length !== 1)).toEqual([])
  })

  it('tells types from values', () => {
    expect(check('src/receive/x.ts', `import type { Ledger } from '../ledger/ledger.ts'`)).toEqual([])
    expect(check('src/receive/x.ts', `import { type Ledger, type Claim } from '../ledger/ledger.ts'`)).toEqual([])
    expect(check('src/receive/x.ts', `import { type Ledger, ClaimLost } from '../ledger/claims.ts'`)).toEqual([
      'src/receive/x.ts -> src/ledger/claims.ts',
    ])
  })

  it('lets nobody import from the tests, not even the command line', () => {
    expect(check('src/cli/demo/x.ts', `import { until } from '../../../test/support/until.ts'`)).toHaveLength(1)
    expect(check('src/gateway.ts', `import type { X } from '../test/support/x.ts'`)).toHaveLength(1)
    expect(check('templates/x/handler.ts', `import { x } from '../../test/support/x.ts'`)).toHaveLength(1)
  })

  it('sees through folders, and lets a template see nothing but #pawl', () => {
    expect(check('src/sandbox/routes/x.ts', `import { x } from '../../errors.ts'`)).toHaveLength(1)
    expect(check('src/sandbox/routes/x.ts', `import { x } from '../store.ts'`)).toEqual([])
    expect(check('templates/x/handler.ts', `import { defineHandler } from '#pawl'`)).toEqual([])
    expect(check('templates/x/handler.ts', `import { x } from '../../src/errors.ts'`)).toHaveLength(1)
    expect(check('src/queue/x.ts', `import { defineHandler } from '#pawl'`)).toHaveLength(1)
    expect(check('src/attic/x.ts', '')).toHaveLength(1)
  })
})
