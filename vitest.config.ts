import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

const source = (name: string) => fileURLToPath(new URL(`src/${name}`, import.meta.url))

/** Processes that are started, killed and cut off, servers that go away, load, whole checkouts: half a minute and more each. */
const long = [
  'test/faults/**/*.test.ts',
  'test/process/**/*.test.ts',
  'test/alerts/*.test.ts',
  'test/bench/without-redis.test.ts',
  'test/service/client/postgres-budget-store.test.ts',
  'test/cli/{audit-command,demo,dev,doctor,ehr-verify,forward,keys-rotate,ledger-copy,npm-scripts,pawl,pharmacy-command}.test.ts',
  'test/connectors/{contract-hl7,contract-postgres,contract-sftp,sftp-pharmacy}.test.ts',
  'test/connectors/charts/matrix.test.ts',
  'test/connectors/hl7/{matrix,messages}.test.ts',
  'test/console/{access,access-oidc,access-pages,erase-pages,hold-pages,pages,plans,queue-and-drift,report-page}.test.ts',
  'test/ledger/upkeep/{check-and-backup,copy,hourly-retention}.test.ts',
  'test/ledger/{audit/audit-forgery,postgres/partitions,postgres/postgres,sealing/reseal}.test.ts',
  'test/sandbox/{process,reached-values,reference-page-browser,sandbox-pages}.test.ts',
  'test/package{,-client}.test.ts',
  'test/connectors/contract-defects.test.ts',
  // It counts what its own process holds, where other files would come and go.
  'test/conformance/process-watch.test.ts',
  'test/docs/{connectors,deploying-postgres,ehr-shape,first-handler,fork,forking,new,operating,readme,sandbox,testing,typed-pages}.test.ts',
  'test/queue/{postgres,redis}-queue.test.ts',
  'test/receive/{pressure,feed/polling-pharmacy}.test.ts',
  'test/base/tracing/**/*.test.ts',
  'test/work/{loop-watch,suspects}.test.ts',
  'test/report/report.test.ts',
  'templates/report-rows-to-sql/report-table.test.ts',
]

/** Whole conformance runs, each template in a checkout of its own, and the runbook played from alarm to all clear: minutes each. */
const conformance = ['test/conformance/{command,runs,wrong}.test.ts', 'test/docs/{runbook-walks,templates}.test.ts']

const shared = {
  resolve: {
    alias: [
      { find: '#pawl/connector', replacement: source('connector.ts') },
      { find: '#pawl/gateway', replacement: source('gateway.ts') },
      { find: '#pawl/testing', replacement: source('testing/index.ts') },
      { find: '#pawl', replacement: source('index.ts') },
    ],
  },
}
// What never comes is named by whoever waits for it (`until`); these are for what hangs, and longer than the waits of one test together.
const limits = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 30_000 } } }

export default defineConfig({
  test: {
    // Much of a test is waiting.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ...shared,
        test: {
          name: 'main',
          // Importing all modules anew for each file takes longer than the tests do.
          isolate: false,
          globalSetup: 'test/support/build-once.ts',
          include: ['test/**/*.test.ts', 'templates/**/*.test.ts', 'src/integration/**/*.test.ts'],
          exclude: [...configDefaults.exclude, 'templates/project', ...long, ...conformance],
          ...limits,
        },
      },
      {
        ...shared,
        test: {
          name: 'faults',
          include: long,
          globalSetup: 'test/support/build-once.ts',
          ...limits,
          testTimeout: 600_000,
        },
      },
      { ...shared, test: { name: 'conformance', include: conformance, ...limits } },
    ],
    coverage: { include: ['src/**/*.ts', 'templates/**/*.ts'], exclude: ['**/*.test.ts', 'src/cli/demo/**'] },
  },
})
