import { z } from 'zod'
import type { SubcommandOf } from '../command-line.ts'
import { reachSandbox } from './reach-sandbox.ts'
import { readText } from './read-json-file.ts'

const Sent = z.object({ data: z.object({ ids: z.array(z.number()) }) })

/** Makes a running sandbox send the bytes of a file, signed, to an organization's webhooks. */
export async function sendDelivery(
  { url, file, organization, webhook, json }: SubcommandOf<'send'> & { url: string },
  print: (line: string) => void,
): Promise<void> {
  const response = await reachSandbox(url, '/_sandbox/deliveries', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ body: await readText(file), organization, webhook }),
  })
  const { ids } = Sent.parse(await response.json()).data
  if (json) print(JSON.stringify({ ids }))
  else
    print(
      `Sent as ${ids.map((id) => `delivery ${id}`).join(' and ')}; GET ${url}/_sandbox/deliveries shows the answer.`,
    )
}
