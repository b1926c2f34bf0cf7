import { diagnoses, dispensing, insuranceContent, patient, provider } from './sample-requests.ts'

/** The text printed at the start: address, token, and first calls that can be pasted into a shell. */
export function welcome(input: {
  url: string
  token: string
  seed: number
  speed: number
  data: string | undefined
  webhookUrl: string | undefined
}): string {
  const { url, token, seed, speed, data, webhookUrl } = input
  const pace = speed === 0 ? 'time stands still' : `time runs ${speed} times as fast`
  return `The sandbox listens on ${url} (${pace}, seed ${seed}, ${data === undefined ? 'in memory' : `kept in ${data}`}).
Reference: ${url}/docs   OpenAPI: ${url}/openapi.json   AsyncAPI: ${url}/asyncapi.json
${webhookUrl === undefined ? `Webhooks: none yet; see --webhook-url, or PUT ${url}/_sandbox/organizations/org_demo/webhooks` : `Webhooks go to ${webhookUrl}`}

API token of the default organization:
${token}

Is it there?
${curl(url, token, '/status')}

Create a prior authorization:
${curl(url, token, '/prior-authorization', firstRequest)}
`
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
