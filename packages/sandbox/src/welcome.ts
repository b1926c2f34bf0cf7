import { diagnoses, dispensing, insuranceContent, patient, provider } from './sample-requests.ts'

/** Text printed at the start: address, token, first calls to paste into a shell, and links. */
export function welcome(input: {
  url: string
  /** Shell command of the sandbox, without subcommand. */
  command: string
  token: string
  seed: number
  speed: number
  data: string | undefined
  /** The default one first, each with the URLs of its webhooks. */
  organizations: readonly { id: string; webhooks: readonly string[] }[]
}): string {
  const { url, command, token, seed, speed, data, organizations } = input
  return `The sandbox listens on ${url} (${paceOf(speed)}, seed ${seed}, ${data === undefined ? 'in memory' : `kept in ${data}`}).
Pages:     ${url}/_sandbox/ (cases, deliveries, clock, chaos: by hand, in a browser)
Reference: ${url}/docs   OpenAPI: ${url}/openapi.json   AsyncAPI: ${url}/asyncapi.json
${organizations.map(({ id, webhooks }) => describeWebhooks(id, webhooks, url)).join('\n')}

API token of the default organization:
${token}

Check that it answers:
${curl(url, token, '/status')}

Create a prior authorization:
${curl(url, token, '/prior-authorization', firstRequest)}

Or run a scenario, in another terminal (${command} list shows them all):
${command} trigger approved-with-transfer${portFlag(url)}
`
}

/** Describes the speed of sandbox time. */
function paceOf(speed: number): string {
  if (speed === 0) return 'time stands still, except when you push, trigger or advance'
  return `time runs ${speed} times as fast: a day takes ${duration(86_400 / speed)}`
}

function duration(seconds: number): string {
  if (seconds >= 7_200) return `${round(seconds / 3_600)} h`
  if (seconds >= 120) return `${round(seconds / 60)} min`
  return `${round(seconds)} s`
}

const round = (value: number) => (value < 10 ? Number(value.toPrecision(1)) : Math.round(value))

function describeWebhooks(id: string, webhooks: readonly string[], url: string): string {
  if (webhooks.length > 0) return `Webhooks of ${id} go to ${webhooks.join(' and ')}`
  return `Webhooks of ${id}: none yet; see --webhook-url, or PUT ${url}/_sandbox/organizations/${id}/webhooks`
}

/** Empty for the default port of the commands. */
function portFlag(url: string): string {
  const { port } = new URL(url)
  return port === '4000' ? '' : ` --port ${port}`
}

/** The body contains no single quote, so it needs no shell escaping. */
function curl(url: string, token: string, path: string, body?: object): string {
  const call = `curl -sS -H 'Authorization: Bearer ${token}' ${url}${path}`
  return body === undefined ? call : `${call} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
}

/** The minimal accepted request. */
const firstRequest = {
  patient,
  provider,
  insurance_content: insuranceContent,
  prescription: { ndc: '12345-6789-01', ...dispensing },
  diagnoses,
  mock_result: { result: 'Approved' },
}
