/** The body has more bytes than allowed, as it came or once decoded, or a content coding that pawl does not know. Never quotes the other side. `code` reads as a system's one. */
export class BodyRefused extends Error {
  readonly code: 'BODY_TOO_LARGE' | 'BODY_CODING'
  readonly fault: 'size' | 'coding'
  constructor(fault: 'size' | 'coding', message: string) {
    super(message)
    this.fault = fault
    this.code = fault === 'size' ? 'BODY_TOO_LARGE' : 'BODY_CODING'
  }
}

/** Max bytes of an answer, decoded. A page of a chart's search with its documents is far below. */
export const maxAnswerBytes = 67_108_864

/** Max bytes of an answer that holds a token, keys, metadata or nothing of use. */
export const maxShortAnswerBytes = 1_048_576

/** How many long bodies are read at once in a process, whatever they come from: each takes several times its bytes until it is parsed. */
const maxLongAtOnce = 2
let longInRead = 0
const waiting: (() => void)[] = []

async function beginLong(): Promise<void> {
  if (longInRead < maxLongAtOnce) longInRead += 1
  else await new Promise<void>((resolve) => waiting.push(resolve))
}

/** Hands the place to the next one. A body whose time ran out while it waited fails there and then. */
function endLong(): void {
  const next = waiting.shift()
  if (next === undefined) longInRead -= 1
  else next()
}

/** The bytes of a body, which ends its connection once it has more than `maxBytes`: rejects with `BodyRefused`, or as the body does. Beyond 1 MiB it waits for its turn, so that many long answers do not fill the memory. */
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
