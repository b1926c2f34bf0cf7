/** The body is too large, as sent or decoded, or has an unknown content coding. Quotes nothing that the server sent. `code` looks like a system error's. */
export class BodyRefused extends Error {
  readonly code: 'BODY_TOO_LARGE' | 'BODY_CODING'
  readonly fault: 'size' | 'coding'
  constructor(fault: 'size' | 'coding', message: string) {
    super(message)
    this.fault = fault
    this.code = fault === 'size' ? 'BODY_TOO_LARGE' : 'BODY_CODING'
  }
}

/** Max bytes of an answer, decoded. A page of a chart's search results, documents included, is far smaller. */
export const maxAnswerBytes = 67_108_864

/** Max bytes of an answer that holds a token, keys or metadata, or that is discarded. */
export const maxShortAnswerBytes = 1_048_576

/** Max long bodies that this process reads at once, across all systems. Until it is parsed, each takes several times its size in memory. */
const maxLongAtOnce = 2
let longInRead = 0
const waiting: (() => void)[] = []

async function beginLong(): Promise<void> {
  if (longInRead < maxLongAtOnce) longInRead += 1
  else await new Promise<void>((resolve) => waiting.push(resolve))
}

/** Passes the slot on. A body whose time ran out while it waited fails on its next read. */
function endLong(): void {
  const next = waiting.shift()
  if (next === undefined) longInRead -= 1
  else next()
}

/** Reads a body, and ends its connection beyond `maxBytes`. Rejects with `BodyRefused`, or with the body's own error. Beyond 1 MiB the body waits for a slot, so that many long answers do not fill the memory. */
export async function readBounded(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  let isLong = false
  try {
    // Leaving the loop destroys the stream.
    for await (const chunk of body) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw new BodyRefused('size', `has more than ${maxBytes} bytes`)
      chunks.push(chunk)
      if (isLong || bytes <= maxShortAnswerBytes) continue
      await beginLong()
      isLong = true
    }
    return Buffer.concat(chunks)
  } finally {
    if (isLong) endLong()
  }
}

/** The platform's `fetch` with a bound on the decoded body, which is read before it resolves; for packages that take a `fetch`. */
export async function fetchBounded(address: string | URL, init: RequestInit, maxBytes: number): Promise<Response> {
  const answer = await fetch(address, init)
  if (answer.body === null) return answer
  const body = await readBounded(answer.body, maxBytes)
  return new Response(new Uint8Array(body), answer)
}
