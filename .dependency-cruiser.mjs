import swc from '@swc/core'

// Its parser for TypeScript is told of no JSX, and has no setting for it.
const { parseFileSync } = swc
swc.parseFileSync = (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') })

/** The settings of each room and connector. */
const roomSettings = [
  'receive/settings.ts',
  'ledger/settings.ts',
  'queue/settings.ts',
  'work/settings.ts',
  'service/client/settings.ts',
  'connectors/ehr/fhir/settings.ts',
  'connectors/ehr/hl7/settings.ts',
  'connectors/pharmacy/settings.ts',
  'console/settings.ts',
  'alerts/settings.ts',
  'base/tracing/settings.ts',
]

/** What every room may import besides its own files and packages. `#pawl`, `#pawl/connector`, `#pawl/gateway` and `#pawl/testing` are src/index.ts, src/connector.ts, src/gateway.ts and src/testing/index.ts. */
const rooms = {
  // The process and the composition root.
  'main.ts': [
    'settings',
    'base/errors.ts',
    'gateway.ts',
    'work/load-integration.ts',
    'base/log.ts',
    'base/pretty-log.ts',
    'base/show-hidden.ts',
    'base/tracing',
  ],
  'gateway.ts': ['.'],
  // Which integration the process and the commands use.
  'work/load-integration.ts': ['base/errors.ts', 'base/integration-file.ts', 'integration', 'work/integration.ts'],
  settings: [
    ...roomSettings,
    'base/integration-file.ts',
    'base/net/nearest-url.ts',
    'base/setting-types.ts',
    'base/errors.ts',
    'base/optional-packages.ts',
  ],
  'base/errors.ts': [],
  'base/optional-packages.ts': ['base/errors.ts'],
  'base/log.ts': ['base/errors.ts'],
  'base/pretty-log.ts': ['base/fold-line.ts', 'base/short-ids.ts', 'base/show-hidden.ts', 'base/tell-line.ts'],
  'base/tell-line.ts': ['base/fold-line.ts'],
  'base/fold-line.ts': [],
  'base/short-ids.ts': [],
  'base/show-hidden.ts': [],
  // What several rooms share.
  'base/net/server.ts': ['base/errors.ts', 'base/net/limit-connections.ts'],
  'base/net/limit-connections.ts': ['base/net/address-ranges.ts'],
  'base/net/address-ranges.ts': [],
  'base/net/sender-address.ts': ['base/net/address-ranges.ts'],
  'base/net/login-limits.ts': [
    'base/net/address-ranges.ts',
    'base/net/public-address.ts',
    'base/net/sender-address.ts',
  ],
  'base/password-hash.ts': [],
  'base/roles.ts': [],
  'base/closers.ts': ['base/log.ts'],
  'base/clock.ts': [],
  'base/copy-json.ts': [],
  'base/days.ts': [],
  'base/parse-json.ts': ['base/errors.ts'],
  'base/integration-file.ts': ['base/errors.ts'],
  'base/openapi-components.ts': [],
  'base/read-version.ts': [],
  'base/sqlite.ts': [],
  'base/stamp.ts': [],
  'base/net/postgres-pool.ts': [],
  'base/net/fetch.ts': ['base/errors.ts'],
  'base/setting-types.ts': ['base/optional-packages.ts', 'base/parse-json.ts'],
  'base/tracing': [
    'base/setting-types.ts',
    'base/optional-packages.ts',
    'base/errors.ts',
    'base/log.ts',
    'base/read-version.ts',
  ],
  'base/net/download.ts': ['base/net/pin-address.ts'],
  'base/net/pin-address.ts': ['base/net/public-address.ts'],
  'base/net/nearest-url.ts': [],
  'base/net/public-address.ts': [],
  'base/net/retry-after.ts': [],
  'base/net/deadline.ts': [],
  'base/net/smtp-connection.ts': ['base/net/public-address.ts'],
  // What `#pawl` and `#pawl/connector` give, and `pawl/client` of the package.
  'client.ts': [
    'service/client',
    'service/schemas',
    'base/errors.ts',
    'receive/verify.ts',
    'receive/delivery-refused.ts',
  ],
  'index.ts': ['client.ts', 'work', 'service/events', 'service/schemas', 'connectors', 'systems', 'base/log.ts'],
  'connector.ts': [
    'connectors',
    'systems',
    'ledger',
    'base/errors.ts',
    'base/net/fetch.ts',
    'base/net/smtp-connection.ts',
    'base/clock.ts',
    'base/log.ts',
  ],
  // The nouns.
  'service/schemas': [],
  'service/events': ['service/schemas'],
  // The journey.
  receive: [
    'base/setting-types.ts',
    'base/net/address-ranges.ts',
    'base/net/sender-address.ts',
    'base/net/public-address.ts',
    'base/net/server.ts',
    'base/parse-json.ts',
    'base/closers.ts',
    'service/events',
    'service/schemas',
    'ledger',
    'settings',
    'base/tracing',
    'base/errors.ts',
    'base/clock.ts',
    'base/log.ts',
  ],
  // What pharmacies read at the public listener.
  'receive/feed': [
    'base/net/address-ranges.ts',
    'base/net/login-limits.ts',
    'base/net/sender-address.ts',
    'connectors',
    'ledger',
    'base/errors.ts',
    'base/log.ts',
  ],
  ledger: [
    'base/setting-types.ts',
    'base/sqlite.ts',
    'service/schemas',
    'base/tracing',
    'base/errors.ts',
    'base/net/postgres-pool.ts',
    'base/clock.ts',
    'base/log.ts',
  ],
  queue: ['base/setting-types.ts', 'base/errors.ts', 'base/net/postgres-pool.ts', 'base/log.ts'],
  work: [
    'base/integration-file.ts',
    'ledger',
    'queue',
    'service/events',
    'systems',
    'service/schemas',
    'service/client',
    'base/tracing',
    'settings',
    'base/setting-types.ts',
    'base/copy-json.ts',
    'base/errors.ts',
    'base/clock.ts',
    'base/log.ts',
    'base/stamp.ts',
  ],
  'work/poll': [
    'base/integration-file.ts',
    'ledger',
    'work',
    'systems',
    'service/events',
    'service/schemas',
    'service/client',
    'base/tracing',
    'base/errors.ts',
    'base/clock.ts',
    'base/log.ts',
  ],
  systems: ['ledger', 'service/schemas', 'service/client', 'base/tracing', 'base/errors.ts', 'base/log.ts'],
  // What the ledger remembers of one resource, in order.
  'console/story': ['console/contract', 'ledger', 'service/schemas', 'base/tracing'],
  // The JSON routes of the admin listener as schemas, which the console serves and the commands call.
  'console/contract': [
    'ledger',
    'report',
    'service/schemas',
    'base/openapi-components.ts',
    'base/read-version.ts',
    'base/roles.ts',
  ],
  // How many came out how, and how long it took.
  report: ['ledger', 'service/schemas', 'base/days.ts'],
  // The fork's own room, and what is shipped for it.
  integration: ['index.ts', 'connector.ts', 'gateway.ts', '../templates'],
  '../templates': ['index.ts', 'connector.ts'],
  // The other systems.
  'service/client': [
    'base/setting-types.ts',
    'service/schemas',
    'base/parse-json.ts',
    'base/errors.ts',
    'base/net/postgres-pool.ts',
    'base/clock.ts',
    'base/net/deadline.ts',
    'base/net/fetch.ts',
    'base/net/download.ts',
    'base/net/pin-address.ts',
    'base/net/public-address.ts',
    'base/net/retry-after.ts',
    'base/tracing',
    'base/log.ts',
  ],
  connectors: [
    'base/days.ts',
    'base/copy-json.ts',
    'base/integration-file.ts',
    'base/parse-json.ts',
    'service/schemas',
    'systems',
    'base/setting-types.ts',
    'base/errors.ts',
    'base/net/postgres-pool.ts',
    'base/clock.ts',
    'base/net/fetch.ts',
    'base/optional-packages.ts',
    'base/net/pin-address.ts',
    'base/net/deadline.ts',
    'base/net/retry-after.ts',
    'base/tracing',
    'base/log.ts',
  ],
  sandbox: [
    'base/sqlite.ts',
    'base/pages',
    'service/schemas',
    'base/parse-json.ts',
    'base/clock.ts',
    'base/show-hidden.ts',
    'base/net/download.ts',
    'base/net/nearest-url.ts',
    'base/net/public-address.ts',
    'base/openapi-components.ts',
    'base/stamp.ts',
  ],
  // What pages for people are made of.
  'base/pages': ['base/net/public-address.ts', 'base/show-hidden.ts'],
  // Those who look on.
  alerts: [
    'base/setting-types.ts',
    'ledger',
    'service/schemas',
    'base/errors.ts',
    'base/net/fetch.ts',
    'base/net/smtp-connection.ts',
    'base/format-duration.ts',
    'base/clock.ts',
    'base/log.ts',
  ],
  console: [
    'base/days.ts',
    'base/integration-file.ts',
    'base/setting-types.ts',
    'base/tracing',
    'alerts',
    'ledger',
    'queue',
    'service/client',
    'sandbox',
    'console/contract',
    'console/story',
    'report',
    'base/pages',
    'service/events',
    'service/schemas',
    'base/net/address-ranges.ts',
    'base/net/limit-connections.ts',
    'base/net/login-limits.ts',
    'base/net/sender-address.ts',
    'base/net/public-address.ts',
    'base/openapi-components.ts',
    'base/read-version.ts',
    'base/password-hash.ts',
    'base/roles.ts',
    'base/errors.ts',
    'base/parse-json.ts',
    'base/clock.ts',
    'base/log.ts',
    'base/stamp.ts',
  ],
  cli: ['.'],
  // Those who test a fork.
  testing: ['.', '../templates'],
  conformance: ['.', '../templates'],
}

/** What the folders of the sandbox that hold one kind of resource each stand on. */
const onPlatform = ['platform.ts', 'platform', 'webhooks', 'access', 'files']

/** What each folder of the sandbox may import of it besides its own files, from the ground up: no arrow points back up. Whatever is not named here, the files at its top included, may import all of it. */
const sandboxFolders = {
  platform: [],
  webhooks: ['platform'],
  requests: ['platform'],
  snapshots: ['platform'],
  access: ['platform', 'webhooks', 'requests'],
  files: ['platform'],
  'platform.ts': ['platform', 'webhooks', 'access', 'files'],
  provider: onPlatform,
  'provider-outreach': onPlatform,
  'patient-enrollment': onPlatform,
  'clinical-qualification': onPlatform,
  'benefit-verification': onPlatform,
  'prior-authorization': [...onPlatform, 'benefit-verification', 'provider-outreach'],
  'pa-status': [...onPlatform, 'prior-authorization'],
  status: onPlatform,
  // Those who play the service and look on call it as anybody does.
  scenarios: ['platform', 'webhooks', 'documents'],
  terminal: ['platform'],
  commands: ['scenarios', 'webhooks', 'terminal', 'command-line.ts'],
}

/** A pattern of the paths of a room or a file. */
function pathOf(room) {
  if (room === '.') return '^src/'
  const path = room.startsWith('../') ? room.slice('../'.length) : `src/${room}`
  return `^${path.replaceAll('.', '\\.')}${room.endsWith('.ts') ? '$' : '/'}`
}

const own = '^(src|templates|test|bench)/'

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...Object.entries(rooms).map(([room, allowed]) => ({
      name: `room ${room.replace('../', '')}`,
      comment: `${room.replace('../', '')} imports only its own files, ${allowed.join(', ') || 'nothing else'}, and packages.`,
      severity: 'error',
      // A room within a room has a list of its own.
      from: {
        path: pathOf(room),
        pathNot: Object.keys(rooms)
          .filter((inner) => inner.startsWith(`${room}/`))
          .map(pathOf),
      },
      to: { path: own, pathNot: [room, ...allowed].map(pathOf) },
    })),
    ...Object.entries(sandboxFolders).map(([folder, allowed]) => ({
      name: `sandbox folder ${folder}`,
      comment: `src/sandbox/${folder} imports of the sandbox only its own files, ${allowed.join(', ') || 'and nothing else'}.`,
      severity: 'error',
      from: { path: pathOf(`sandbox/${folder}`) },
      to: { path: pathOf('sandbox'), pathNot: [folder, ...allowed].map((name) => pathOf(`sandbox/${name}`)) },
    })),
    {
      name: 'no room',
      comment: 'A file belongs to a room that .dependency-cruiser.mjs knows.',
      severity: 'error',
      from: { path: '^(src|templates)/', pathNot: [...Object.keys(rooms).map(pathOf), '^templates/index\\.ts$'] },
      to: {},
    },
    {
      name: 'one composition root',
      comment:
        'Only the process, the command line, the test kit, the conformance run and an app of a fork build a gateway.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(main\\.ts|cli/|conformance/|integration/|testing/)' },
      to: { path: '^src/gateway\\.ts$' },
    },
    {
      name: 'commands see the contract',
      comment: 'Of the console, the command line imports its contract alone.',
      severity: 'error',
      from: { path: pathOf('cli') },
      to: { path: pathOf('console'), pathNot: pathOf('console/contract') },
    },
    {
      name: 'hot below views',
      comment: "The delivery's way in the ledger imports none of the reads for people; they import it.",
      severity: 'error',
      from: { path: pathOf('ledger/hot') },
      to: { path: pathOf('ledger/views') },
    },
    {
      name: 'testing is for tests',
      comment: 'What a gateway runs does without the test kit; only `pawl scrub`, which makes fixtures, is of it.',
      severity: 'error',
      from: { path: '^(src|templates)/', pathNot: [pathOf('testing'), '^src/cli/scrub-command\\.ts$'] },
      to: { path: pathOf('testing') },
    },
    {
      name: 'tests are not shipped',
      comment: 'What ships works without the tests.',
      severity: 'error',
      from: { path: '^(src|templates)/' },
      to: { path: '^(test|bench)/' },
    },
    {
      name: 'unresolvable',
      comment: 'What is imported exists.',
      severity: 'error',
      from: {},
      // Types alone have no file that can be run.
      to: { couldNotResolve: true, pathNot: '^@medplum/fhirtypes$' },
    },
    {
      name: 'no circles',
      comment: 'Files that import each other are one file, or lack a third.',
      severity: 'error',
      from: { path: '^(src|templates)/' },
      to: { circular: true },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    // Tests may import anything, and may use `await using`, which the parser does not know.
    exclude: { path: '^(dist|node_modules|templates/project)/|\\.test\\.tsx?$' },
    enhancedResolveOptions: { conditionNames: ['source', 'import', 'node', 'default'], exportsFields: ['exports'] },
  },
}
