import { startFarSide } from '../../testing/src/far-side.ts'

/** One POST as it came over the wire. */
export interface Received {
  body: string
  token: string
  envelope: { title: string; description: string; event_type: string; data: { id: string; status: string } }
}

export interface Receiver {
  url: string
  received: Received[]
  /** HTTP statuses for the next POSTs, one each; 200 when none is left. */
  answers: (number | 'silence')[]
  /** The types received, in order of arrival. */
  types(): string[]
  close(): Promise<void>
}

/** A webhook receiver on a free port. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const answers: Receiver['answers'] = []
  const farSide = await startFarSide(({ method, headers, body }) => {
    // The test itself is what checks the shape.
    const envelope = JSON.parse(body) as Received['envelope']
    received.push({ body, token: String(headers['x-webhook-secret']), envelope })
    const answer = answers.shift() ?? 200
    if (answer === 'silence') return answer
    const isDelivery = method === 'POST' && headers['content-type'] === 'application/json'
    return { status: isDelivery ? answer : 405 }
  })
  return {
    url: `${farSide.url}/webhooks`,
    received,
    answers,
    types: () => received.map(({ envelope }) => envelope.event_type),
    close: farSide.close,
  }
}
