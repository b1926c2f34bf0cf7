import swc from '@swc/core'

// Its parser for TypeScript is told of no JSX, and has no setting for it.
const { parseFileSync } = swc
swc.parseFileSync = (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') })

/** What every room may import besides its own files and packages. `#pawl`, `#pawl/connector`, `#pawl/gateway` and `#pawl/testing` are src/index.ts, src/connector.ts, src/gateway.ts and src/testing/index.ts. */
const rooms = {
  // The process and the composition root.
  'main.ts': ['config.ts', 'gateway.ts', 'integration', 'log.ts', 'pretty-log.ts', 'tracing'],
  'gateway.ts': ['.'],
  'config.ts': [
    'address-ranges.ts',
    'body-store-address.ts',
    'errors.ts',
    'parse-json.ts',
    'password-hash.ts',
    'roles.ts',
  ],
  'errors.ts': [],
  'log.ts': ['errors.ts'],
  'pretty-log.ts': [],
  // What several rooms share.
  'server.ts': ['errors.ts', 'limit-connections.ts'],
  'limit-connections.ts': ['address-ranges.ts'],
  'address-ranges.ts': [],
  'body-store-address.ts': [],
  'sender-address.ts': ['address-ranges.ts'],
  'password-hash.ts': [],
  'roles.ts': [],
  'closers.ts': ['log.ts'],
  'clock.ts': [],
  'copy-json.ts': [],
  'parse-json.ts': [],
  'read-version.ts': [],
  'postgres-pool.ts': [],
  'fetch.ts': ['errors.ts'],
  tracing: ['errors.ts', 'log.ts', 'read-version.ts'],
  'download.ts': ['pin-address.ts'],
  'pin-address.ts': ['public-address.ts'],
  'public-address.ts': [],
  'retry-after.ts': [],
  'smtp-connection.ts': [],
  // What `#pawl` and `#pawl/connector` give, and `pawl/client` of the package.
  'client.ts': ['api', 'resources', 'errors.ts'],
  'index.ts': ['client.ts', 'work', 'events', 'resources', 'connectors', 'systems', 'log.ts'],
  'connector.ts': [
    'connectors',
    'systems',
    'ledger',
    'errors.ts',
    'fetch.ts',
    'smtp-connection.ts',
    'clock.ts',
    'log.ts',
  ],
  // The nouns.
  resources: [],
  events: ['resources'],
  // The journey.
  receive: ['address-ranges.ts', 'sender-address.ts', 'events', 'ledger', 'tracing', 'errors.ts', 'clock.ts', 'log.ts'],
  ledger: ['resources', 'tracing', 'errors.ts', 'postgres-pool.ts', 'clock.ts', 'log.ts'],
  queue: ['errors.ts', 'postgres-pool.ts', 'log.ts'],
  work: [
    'ledger',
    'queue',
    'events',
    'systems',
    'resources',
    'api',
    'tracing',
    'config.ts',
    'copy-json.ts',
    'errors.ts',
    'clock.ts',
    'log.ts',
  ],
  poll: ['ledger', 'work', 'systems', 'events', 'resources', 'api', 'tracing', 'errors.ts', 'clock.ts', 'log.ts'],
  systems: ['ledger', 'resources', 'api', 'tracing', 'errors.ts', 'log.ts'],
  // What the ledger remembers of one resource, in order.
  story: ['ledger', 'resources', 'tracing'],
  // How many came out how, and how long it took.
  report: ['ledger', 'resources'],
  // The fork's own room, and what is shipped for it.
  integration: ['index.ts', 'connector.ts', 'gateway.ts', '../templates'],
  '../templates': ['index.ts', 'connector.ts'],
  // The other systems.
  api: [
    'resources',
    'errors.ts',
    'postgres-pool.ts',
    'clock.ts',
    'fetch.ts',
    'download.ts',
    'pin-address.ts',
    'public-address.ts',
    'retry-after.ts',
    'tracing',
    'log.ts',
  ],
  connectors: [
    'copy-json.ts',
    'parse-json.ts',
    'resources',
    'systems',
    'config.ts',
    'errors.ts',
    'postgres-pool.ts',
    'clock.ts',
    'fetch.ts',
    'pin-address.ts',
    'retry-after.ts',
    'tracing',
    'log.ts',
  ],
  sandbox: ['pages', 'resources', 'clock.ts', 'download.ts', 'public-address.ts'],
  // What pages for people are made of.
  pages: [],
  // Those who look on.
  alerts: ['ledger', 'errors.ts', 'fetch.ts', 'smtp-connection.ts', 'clock.ts', 'log.ts'],
  console: [
    'alerts',
    'ledger',
    'queue',
    'api',
    'sandbox',
    'story',
    'report',
    'pages',
    'events',
    'resources',
    'address-ranges.ts',
    'sender-address.ts',
    'public-address.ts',
    'password-hash.ts',
    'roles.ts',
    'errors.ts',
    'clock.ts',
    'log.ts',
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
  access: ['platform', 'webhooks'],
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
  commands: ['scenarios', 'webhooks', 'command-line.ts'],
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
      from: { path: pathOf(room) },
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
    exclude: { path: '^(dist|node_modules)/|\\.test\\.tsx?$' },
    enhancedResolveOptions: { conditionNames: ['source', 'import', 'node', 'default'], exportsFields: ['exports'] },
  },
}
