import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readWalk } from './walked-page.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const markdownIn = (folder: string) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .toSorted()

/** Every page for people, by its path from the root. */
export const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...markdownIn('docs'),
  ...markdownIn('templates'),
]

/** Pages whose every block of shell, settings aside, is typed by a test of their own. */
export const typedElsewhere: Readonly<Record<string, string>> = {
  'docs/first-handler.md': 'test/docs/first-handler.test.ts',
  'docs/forking.md': 'test/docs/forking.test.ts',
  'docs/operating.md': 'test/docs/operating.test.ts',
  'docs/runbook.md': 'test/docs/runbook-world.ts',
  // Its recipes by one, its controls by the other.
  'docs/sandbox.md': 'test/docs/sandbox.test.ts packages/sandbox/test/sandbox-document.test.ts',
}

/** Blocks that cannot be typed here as they stand, by how they begin, and why. */
export const notTyped: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': {
    'npm ci && npm run demo': 'it installs; packages/dev/test/demo.test.ts plays the demo',
    'npm ci && npm test': 'it installs, and runs this test',
    'npm ci && npm run pawl -- init':
      'it installs, and runs on; test/package.test.ts goes through it without a registry',
  },
  'docs/client.md': {
    'node --conditions=source': 'test/docs/fork.test.ts types it in a fork',
    'npm install ../pawl': 'it installs; test/package.test.ts does so without a registry',
  },
  'docs/leaving.md': { 'SEALING_KEYS=': 'test/docs/leaving.test.ts runs it' },
  'docs/conformance.md': { 'npm run conformance': 'minutes; packages/conformance/test/tours.test.ts runs its tours' },
  'docs/pharmacy.md': {
    curl: 'a pawl with a feed: test/receive/feed/feed-page.test.ts types them',
    'pawl pharmacy resend': 'a pharmacy that was told: packages/pharmacy/test/resend.test.ts runs it',
    'npm run sandbox -- trigger': 'beside npm run dev: test/docs/sandbox.test.ts types it',
  },
  'docs/deploying.md': {
    'npm ci --include=dev': 'it installs; the tests of the project faults run what is built',
    'alias pawl="node': 'there is no dist in a checkout',
    'sudo -u postgres createuser':
      'a server of PostgreSQL: test/docs/deploying-postgres.test.ts types its block that asks no person',
    'redis-server': 'it runs on, on the port of everybody',
    'cd /opt/pawl': 'a project: test/package.test.ts types it',
    'systemctl --user': 'a systemd of the user; test/docs/systemd-unit.test.ts reads the unit',
    useradd: 'it makes a user and folders of the machine',
    'docker compose': 'there is no Docker',
    'sudo -u postgres psql -d pawl -c': 'test/docs/deploying-postgres.test.ts types it',
    'sqlite3 data/pawl.db': 'test/docs/deploying.test.ts types it',
    'rm -f data/pawl.db': 'test/docs/deploying.test.ts types it',
    pg_dump: 'test/docs/deploying-postgres.test.ts types it',
    'sudo -u postgres psql --command': 'test/docs/deploying-postgres.test.ts types it',
    'pawl ledger copy': 'test/docs/deploying-postgres.test.ts types it',
    'ln -sfn': 'test/docs/deploying-postgres.test.ts types it',
  },
  'docs/security.md': { 'npm run fuzz': 'half an hour; test/fuzz/fuzz.test.ts is a short run' },
  'docs/testing.md': {
    'npx vitest run src/integration': 'test/docs/fork.test.ts runs it in a fork',
  },
}

/** The blocks of shell of a page. */
export function shellBlocks(page: string): string[] {
  return readWalk(readFileSync(`${root}${page}`, 'utf8'))
    .flatMap(({ blocks }) => blocks)
    .filter(({ kind }) => kind === 'sh')
    .map(({ text }) => text)
}

/** Whether a block is lines of a file with settings. */
export const isSettings = (block: string) =>
  block
    .trim()
    .split('\n')
    .every((line) => /^(#|[A-Z][A-Z0-9_]*=('[^']*'$|"[^"]*"$|\S*$))/.test(line))

/** Why a block is not typed; `undefined` where it is. */
export function whyNot(page: string, block: string): string | undefined {
  return Object.entries(notTyped[page] ?? {}).find(([start]) => block.startsWith(start))?.[1]
}

/** The blocks of a page that are typed as they stand. */
export const typedBlocks = (page: string): string[] =>
  shellBlocks(page).filter((block) => !isSettings(block) && whyNot(page, block) === undefined)
