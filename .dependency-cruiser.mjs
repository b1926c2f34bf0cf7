/** Which other packages a package imports. */
export const packages = {
  base: [],
  client: ['base'],
  connector: ['base', 'client'],
  ledger: ['base', 'client'],
  ehr: ['base', 'client', 'connector'],
  pharmacy: ['base', 'client', 'connector'],
  console: ['base', 'client', 'ledger'],
  sandbox: ['base', 'client'],
  // Around the gateway, whose sources they import.
  testing: ['base', 'client', 'connector', 'ledger', 'ehr', 'pharmacy', 'console', 'sandbox', 'src'],
  conformance: ['base', 'client', 'connector', 'ehr', 'console', 'sandbox', 'testing', 'src', 'templates'],
  dev: ['base', 'client', 'connector', 'ehr', 'pharmacy', 'console', 'sandbox', 'testing', 'src'],
}

/** Which packages, and which other rooms of `src`, a room imports. `#pawl`, `#pawl/connector`, `#pawl/gateway` and `#pawl/testing` are src/index.ts, src/connector.ts, src/gateway.ts and packages/testing/src/index.ts. */
export const rooms = {
  // The composition root, and the process around it.
  'src/main.ts': ['base', 'src/gateway.ts', 'src/settings', 'src/work'],
  'src/gateway.ts': [
    'base',
    'client',
    'connector',
    'ledger',
    'console',
    'src/queue',
    'src/receive',
    'src/settings',
    'src/systems',
    'src/work',
  ],
  'src/settings': ['base', 'client', 'connector', 'ledger', 'console', 'src/queue', 'src/receive', 'src/work'],
  // The journey.
  'src/receive': ['base', 'client', 'connector', 'ledger', 'src/settings'],
  'src/queue': ['base'],
  'src/work': [
    'base',
    'client',
    'connector',
    'ledger',
    'src/queue',
    'src/settings',
    'src/systems',
    // Which integration the process and the commands use.
    'src/integration',
  ],
  'src/systems': ['base', 'client', 'connector', 'ledger'],
  // What `#pawl` and `#pawl/connector` give.
  'src/index.ts': ['base', 'client', 'connector', 'src/work'],
  'src/connector.ts': ['base', 'connector'],
  // The fork's own room, which alone names connectors, and what is shipped for it.
  'src/integration': ['ehr', 'pharmacy', 'src/index.ts', 'src/connector.ts', 'src/gateway.ts', 'templates'],
  templates: ['ehr', 'src/index.ts', 'src/connector.ts'],
  // Commands.
  'src/cli': [...Object.keys(packages).filter((name) => name !== 'ehr' && name !== 'pharmacy'), 'src'],
}

/** What the folders of the sandbox that hold one kind of resource each stand on. */
const onPlatform = ['platform.ts', 'platform', 'webhooks', 'access', 'files']

/** What each folder of the sandbox may import of it besides its own files, from the ground up: no arrow points back up. Whatever is not named here, the files at its top included, may import all of it. */
const sandboxFolders = {
  platform: [],
  webhooks: ['platform'],
  requests: ['platform'],
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
  commands: ['scenarios', 'webhooks', 'command-line.ts'],
}

/** A pattern of the paths of a package, a room or a file. */
function pathOf(place) {
  if (place in packages) return `^packages/${place}/`
  return `^${place.replaceAll('.', '\\.')}${place.endsWith('.ts') ? '$' : '/'}`
}

const own = '^(src|packages|templates|test|bench)/'

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...Object.entries({ ...packages, ...rooms }).map(([place, allowed]) => ({
      name: place in packages ? `package ${place}` : `room ${place}`,
      comment: `${place} imports only its own files, ${allowed.join(', ') || 'nothing else'}, and packages of others.`,
      severity: 'error',
      from: { path: place in packages ? `^packages/${place}/src/` : pathOf(place) },
      to: { path: own, pathNot: [place, ...allowed].map(pathOf) },
    })),
    ...Object.entries(sandboxFolders).map(([folder, allowed]) => ({
      name: `sandbox folder ${folder}`,
      comment: `packages/sandbox/src/${folder} imports of the sandbox only its own files, ${allowed.join(', ') || 'and nothing else'}.`,
      severity: 'error',
      from: { path: `^packages/sandbox/src/${folder}${folder.endsWith('.ts') ? '$' : '/'}` },
      to: {
        path: '^packages/sandbox/',
        pathNot: [folder, ...allowed].map((name) => `^packages/sandbox/src/${name}${name.endsWith('.ts') ? '$' : '/'}`),
      },
    })),
    {
      name: 'no room',
      comment: 'A file belongs to a package or a room that .dependency-cruiser.mjs knows.',
      severity: 'error',
      from: {
        path: '^(src|packages/[^/]+/src|templates)/',
        pathNot: [...Object.keys(packages), ...Object.keys(rooms)].map(pathOf),
      },
      to: {},
    },
    {
      name: 'one composition root',
      comment:
        'Only the process, the command line, the test kit, the conformance run and an app of a fork build a gateway.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(main\\.ts|cli/|integration/)' },
      to: { path: '^src/gateway\\.ts$' },
    },
    {
      name: 'commands see the contract',
      comment: 'Of the console, commands and tools import only its contract, report and commands.',
      severity: 'error',
      from: { path: '^(src/cli|packages/(conformance|dev|testing)/src|packages/console/src/commands)/' },
      to: { path: '^packages/console/', pathNot: '^packages/console/src/(commands|contract|report)/' },
    },
    {
      name: 'hot below views',
      comment: "The delivery's way in the ledger imports none of the reads for people; they import it.",
      severity: 'error',
      from: { path: '^packages/ledger/src/hot/' },
      to: { path: '^packages/ledger/src/views/' },
    },
    {
      name: 'testing is for tests',
      comment: 'What a gateway runs does without the test kit.',
      severity: 'error',
      from: { path: '^(src|packages/[^/]+/src|templates)/', pathNot: '^packages/(testing|conformance|dev)/' },
      to: { path: '^packages/testing/' },
    },
    {
      name: 'tools are loaded late',
      comment:
        'Only the command line knows the tools of a developer, and loads a command of theirs when it is asked for.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^packages/(conformance|dev)/', dynamic: false },
    },
    {
      name: 'tests are not shipped',
      comment: 'What ships works without the tests.',
      severity: 'error',
      from: { path: '^(src|packages/[^/]+/src|templates)/' },
      to: { path: '^(test|packages/[^/]+/test|bench)/' },
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
      from: { path: '^(src|packages/[^/]+/src|templates)/' },
      to: { circular: true },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    // Tests may import anything, and may use `await using`, which the parser does not know.
    exclude: { path: '^(dist|node_modules|templates/project|packages/[^/]+/dist)/|\\.test\\.tsx?$' },
    enhancedResolveOptions: { conditionNames: ['source', 'import', 'node', 'default'], exportsFields: ['exports'] },
  },
}
