import { expect, it } from 'vitest'
import { captureLog } from './support/log-capture.ts'
import { startLocalGateway } from './support/start-local-gateway.ts'

const sealed = { SEALING_KEYS: Buffer.alloc(32, 1).toString('base64') }
const chart = { FHIR_BASE_URL: 'http://127.0.0.1:9/fhir' }
const ownBase = { FHIR_IDENTIFIER_BASE: 'https://hospital.example/ids' }
const unsealed =
  'sealing is off (SEALING): anyone who can read the ledger can read its bodies and snapshots, and anyone who can write to it can forge the audit trail'
const turningOn =
  'sealing is being turned on (SEALING): values that are not sealed are believed, so that write access to the ledger is enough to replace one'
const off = { SEALING: 'off' }
const example = 'FHIR_IDENTIFIER_BASE is the example: set an address of your own before the first write to the chart'

const guessable = 'a secret of WEBHOOK_SECRETS has fewer than 32 characters: it may be guessed'
const short = { WEBHOOK_SECRETS: 'a-secret-of-at-least-thirty-two-characters,too-short' }

const wrapped = (name: string) =>
  `the value of ${name} has quotes, spaces or a carriage return around it, which are taken as part of it`
const quoted = { ...chart, FHIR_TOKEN: "'a-token-of-the-chart'" }
const cr = { PHARMACY_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}\r` }
const misspelt = 'RETRY_ATEMPTS is no setting, and is not used; RETRY_ATTEMPTS is one'
const proxy = 'HTTPS_PROXY is set, but pawl sends no request through a proxy: it connects to each address itself'

it.each([
  ['no keys to seal with is warned of that', 'production', { ...off, ...chart, ...ownBase }, [unsealed]],
  ['the example base and a chart is warned of that', 'production', { ...sealed, ...chart }, [example]],
  ['neither is warned of both', 'production', { ...off, ...chart }, [unsealed, example]],
  ['both is warned of nothing', 'production', { ...sealed, ...chart, ...ownBase }, []],
  ['the example base, but no chart, is warned of nothing', 'production', { ...sealed }, []],
  ['sealing being turned on is warned of that', 'development', { ...sealed, SEALING: 'turning_on' }, [turningOn]],
  ['a short webhook secret is warned of that', 'development', { ...short }, [guessable]],
  ['a short webhook secret that is not in use is warned of nothing', 'development', { ...short, ROLE: 'worker' }, []],
  ['quotes around secrets is warned of their names', 'development', quoted, [wrapped('FHIR_TOKEN')]],
  ['the CR of a line end after a secret is warned of that', 'development', cr, [wrapped('PHARMACY_SECRET')]],
  ['the name of a setting misspelt is warned of that', 'development', { RETRY_ATEMPTS: '3' }, [misspelt]],
  [
    'a variable of another program is warned of nothing',
    'development',
    { NODE_OPTIONS: '', DATABASE: 'x', PGHOST: 'y' },
    [],
  ],
  ['a proxy for outgoing requests is warned of that', 'development', { HTTPS_PROXY: 'http://127.0.0.1:9' }, [proxy]],
  ['neither is warned of nothing', 'development', { ...chart }, []],
])('who starts with %s in %s', async (_, NODE_ENV, env, warnings) => {
  const capture = captureLog()
  const gateway = await startLocalGateway({ log: capture.log }, { NODE_ENV, ...env })
  await gateway.destroy()
  const warned = capture.lines().filter(({ level, component }) => level === 'warn' && component === 'settings')
  expect(warned.map(({ msg }) => msg)).toEqual(warnings)
})
