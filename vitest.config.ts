import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

const root = fileURLToPath(new URL('.', import.meta.url))

interface Manifest {
  name: string
  imports?: Record<string, { source?: string } | string>
  exports: Record<string, { source?: string } | string>
}

/** The sources behind the names that files import: `#pawl` and its like, and what the packages export. */
const aliases = ['.', ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)].flatMap((folder) => {
  // The project's own files.
  const {
    name,
    imports = {},
    exports,
  } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest
  return Object.entries({ ...imports, ...exports }).flatMap(([path, target]) =>
    typeof target === 'string' || target.source === undefined
      ? []
      : [{ find: new RegExp(`^${path.replace(/^\./, name)}$`), replacement: join(root, folder, target.source) }],
  )
})

/** Processes that are started, killed and cut off, servers that go away, load, whole checkouts: half a minute and more each. */
const long = [
  'test/faults/**/*.test.ts',
  'test/process/**/*.test.ts',
  'packages/base/test/tracing/*.test.ts',
  'packages/console/test/alerts/*.test.ts',
  'packages/client/test/api/postgres-budget-store.test.ts',
  'test/cli/{doctor,ehr-verify,keys-rotate,ledger-copy,npm-scripts,pawl,pharmacy-command}.test.ts',
  'packages/ehr/test/contract-hl7.test.ts',
  'packages/pharmacy/test/{contract-postgres,contract-sftp,sftp-pharmacy}.test.ts',
  'packages/ehr/test/charts/{matrix,verify-chart}.test.ts',
  'packages/ehr/test/hl7/{matrix,messages}.test.ts',
  'packages/console/test/{access,access-oidc,access-pages,erase-pages,pause-pages,pages,plans,report-page,work-queue}.test.ts',
  'packages/ledger/test/upkeep/{check-and-backup,copy,hourly-retention}.test.ts',
  'packages/ledger/test/{audit/audit-forgery,postgres/postgres,sealing/reseal}.test.ts',
  'packages/sandbox/test/{process,reached-values,redoc,sandbox-pages}.test.ts',
  'test/package{,-client,-sandbox}.test.ts',
  'packages/testing/test/contract-defects.test.ts',
  'packages/dev/test/{demo,dev,forward}.test.ts',
  'packages/console/test/commands/audit-command.test.ts',
  'packages/conformance/test/{command,wrong}.test.ts',
  'test/docs/{deploying-postgres,first-handler,fork,forking,new,operating,sandbox,typed-pages}.test.ts',
  'test/queue/{postgres,redis}-queue.test.ts',
  'test/receive/feed/polling-pharmacy.test.ts',
  'test/work/suspects.test.ts',
  'packages/console/test/report/report.test.ts',
  'templates/report-rows-to-sql/report-table.test.ts',
]

/** They change, or count, what a whole process holds. */
const apart = [
  'packages/conformance/test/process-watch.test.ts',
  'test/receive/pressure.test.ts',
  'test/work/loop-watch.test.ts',
]

/** Whole conformance runs, each template in a checkout of its own, and the runbook played from alarm to all clear: minutes each. */
const conformance = [
  'packages/conformance/test/{own-systems,runs,tours}.test.ts',
  'test/docs/{runbook-walks,templates}.test.ts',
]

const shared = {
  resolve: {
    alias: aliases,
  },
}
// What never comes is named by whoever waits for it (`until`); these are for what hangs, and longer than the waits of one test together.
const limits = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 30_000 } } }

const globalSetup = 'test/support/build-once.ts'
/** Importing all modules anew for each file takes longer than the tests do. */
const together = { isolate: false, globalSetup }

export default defineConfig({
  test: {
    // Much of a test is waiting: with fewer, two processors have nothing to do for a third of the time.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ...shared,
        test: {
          name: 'main',
          ...together,
          include: ['{test,packages/*/test,templates,src/integration}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, 'templates/project', ...long, ...apart, ...conformance],
          ...limits,
        },
      },
      {
        ...shared,
        test: {
          name: 'faults',
          ...together,
          include: long,
          ...limits,
          testTimeout: 600_000,
        },
      },
      { ...shared, test: { name: 'faults-apart', globalSetup, include: apart, ...limits } },
      { ...shared, test: { name: 'conformance', include: conformance, ...limits } },
    ],
    coverage: {
      include: ['{src,packages/*/src,templates}/**/*.ts'],
      exclude: ['**/*.test.ts', 'packages/dev/src/demo/**'],
    },
  },
})
