import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createForkTree, type ForkTree } from './support/fork-tree.ts'
import { isInstalled } from './support/needs.ts'

/** Who passes the environment on to settings/, the only room that reads it. */
const mayTouchEnvironment = /^(src\/(main\.ts|settings\/|cli\/|integration\/)|packages\/(conformance|dev)\/)/

const root = fileURLToPath(new URL('..', import.meta.url))

/** File names that say the role of a file in its folder, and so stand in several. */
const roles = new Set([
  'index.ts',
  'integration.ts',
  'handler.ts',
  'handler.test.ts',
  'settings.ts',
  'main.ts',
  'client.ts',
  // Of a kind of chart, played through every case.
  'matrix.test.ts',
  // Of a resource in the sandbox.
  ...['routes', 'controls', 'states', 'record', 'machine', 'script', 'new-resource', 'pushed-result'].map(
    (role) => `${role}.ts`,
  ),
])

const filesOf = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/node_modules/'))
const packages = readdirSync(join(root, 'packages'))
const sources = ['src', ...packages.map((name) => `packages/${name}/src`)]
  .flatMap(filesOf)
  .filter((path) => !path.endsWith('.test.ts'))
const tests = ['test', ...packages.map((name) => `packages/${name}/test`)]
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap(filesOf)
// A project made from them is in a tree of its own.
const templates = filesOf('templates').filter((path) => !path.startsWith(join(root, 'templates', 'project')))

it.each([
  ['of src, and of the templates beside it,', [...sources, ...templates]],
  ['of test', tests],
])('a file %s has a name of its own, unless the name says its role in the folder', (_, paths) => {
  const names = paths.map((path) => basename(path)).filter((name) => !roles.has(name))
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

it('the top level of src is read at a glance', () => {
  const entries = readdirSync(join(root, 'src'))
  expect(entries.length, entries.join(' ')).toBeLessThanOrEqual(22)
})

it('the environment is read in one place', () => {
  const readers = sources
    .filter((path) => /process\s*(\?\.|\.)\s*env\b|\benv\b[^'\n]*from 'node:process'/.test(readFileSync(path, 'utf8')))
    .map((path) => relative(root, path).split(sep).join('/'))
  expect(readers.filter((path) => !mayTouchEnvironment.test(path))).toEqual([])
})

/** Prints of texts of our own alone, or of what was made visible before. */
const madeVisible = [
  // The print of each command, after `showHidden`.
  'isColoured && tone !== undefined',
  // By the pretty log, whose lines are made visible one by one.
  'pretty(line)',
  // The help, and texts of the demo and of the process.
  'new Help().boxWrap(text',
  'print: (line) => process.stdout.write(`${line}',
  'Interrupted before the comparison',
  'secretWarnings',
  // Nothing, so that all before it is flushed; and what clears a terminal.
  "write('', ",
  String.raw`\x1b[H`,
]

it('foreign text is made visible before a command prints it', () => {
  const unseen = sources.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => /std(out|err)\.write\(/.test(line) && !line.includes('showHidden('))
      .filter((line) => !madeVisible.some((known) => line.includes(known)))
      .map((line) => `${relative(root, path)}: ${line.trim()}`),
  )
  expect(unseen).toEqual([])
})

it('a part shared by test files registers no hook of its own, since files of one worker load it once', () => {
  const parts = tests.filter((path) => !path.endsWith('.test.ts'))
  expect(parts.length).toBeGreaterThan(100)
  const hooked = parts.filter((path) => /^(before|after)(Each|All)\(/m.test(readFileSync(path, 'utf8')))
  expect(hooked).toEqual([])
  const unended = parts.filter((path) => /process\.(on|once)\('exit'/.test(readFileSync(path, 'utf8')))
  expect(unended.map((path) => basename(path))).toEqual(['at-exit.ts'])
})

describe.skipIf(!isInstalled('tools'))('the check of the rooms', () => {
  /** Each breaks one rule of .dependency-cruiser.mjs, as the key says. */
  const breaches: Record<string, [path: string, text: string]> = {
    'room src/queue': ['src/queue/x.ts', `import type { Ledger } from '@pawl/ledger/ledger'\nexport type X = Ledger\n`],
    'room src/settings': ['src/settings/x.ts', `export * from '@pawl/ehr'\n`],
    'room src/cli': ['src/cli/v.ts', `void import('@pawl/pharmacy')\n`],
    'room src/receive': ['src/receive/x.ts', `import type { Queue } from '../queue/queue.ts'\nexport type X = Queue\n`],
    'package base': ['packages/base/src/x.ts', `export * from 'pawl-client/schemas/said'\n`],
    'package ledger': ['packages/ledger/src/x.ts', `export * from '../../console/src/actor.ts'\n`],
    'package sandbox': ['packages/sandbox/src/x.ts', `export * from '@pawl/ledger/ledger'\n`],
    'sandbox folder platform': [
      'packages/sandbox/src/platform/x.ts',
      `import type { Organization } from '../access/organizations.ts'\nexport type X = Organization\n`,
    ],
    'sandbox folder benefit-verification': [
      'packages/sandbox/src/benefit-verification/x.ts',
      `import { isTerminal } from '../prior-authorization/states.ts'\nvoid isTerminal\n`,
    ],
    'package ehr': ['packages/ehr/src/x.ts', `void import('@pawl/ledger/ledger')\n`],
    'room templates': ['templates/x/handler.ts', `import { PawlError } from '@pawl/base/errors'\nvoid PawlError\n`],
    'room src/integration': ['src/integration/x.ts', `import { createLog } from '@pawl/base/log'\nvoid createLog\n`],
    'no room': ['src/attic/x.ts', `export * from 'node:fs'\n`],
    'one composition root': ['src/work/w.ts', `import { startGateway } from '../gateway.ts'\nvoid startGateway\n`],
    'commands see the contract': ['src/cli/z.ts', `export * from '../../packages/console/src/actor.ts'\n`],
    'hot below views': ['packages/ledger/src/hot/x.ts', `export * from '../views/counts.ts'\n`],
    'testing is for tests': ['src/cli/y.ts', `export * from '../../packages/testing/src/index.ts'\n`],
    'tools are loaded late': ['src/cli/w.ts', `export * from '../../packages/dev/src/commands/new-command.ts'\n`],
    'tests are not shipped': ['src/cli/x.ts', `import { until } from '../../test/support/until.ts'\nvoid until\n`],
    'no circles': ['src/work/x.ts', `export type { Y } from './y.ts'\nexport type X = 1\n`],
    unresolvable: ['src/work/z.ts', `import { z } from './not-there.ts'\nvoid z\n`],
  }
  let found: { from: string; rule: string }[]
  let tree: ForkTree

  beforeAll(async () => {
    tree = await createForkTree(
      new Map([
        ...Object.values(breaches),
        ['src/work/y.ts', `import type { X } from './x.ts'\nexport type Y = X\n`],
        ['src/integration/fine.ts', `import { defineHandler } from '#pawl'\nvoid defineHandler\n`],
      ]),
    )
    const args = ['src', 'packages', 'templates', '--config', '.dependency-cruiser.mjs', '--output-type', 'json']
    const printed = await tree.run('depcruise', args, {}, { mayFail: true })
    // As dependency-cruiser writes it.
    const { summary } = JSON.parse(printed) as { summary: { violations: { from: string; rule: { name: string } }[] } }
    found = summary.violations.map(({ from, rule }) => ({ from, rule: rule.name }))
  })
  afterAll(() => tree.destroy())

  it.each(Object.entries(breaches))('finds a breach of "%s", and finds nothing in what ships', (rule, [path]) => {
    expect(found).toContainEqual({ from: path, rule })
    const added = new Set([...Object.values(breaches).map(([name]) => name), 'src/work/y.ts'])
    expect(found.filter(({ from }) => !added.has(from))).toEqual([])
  })
})
