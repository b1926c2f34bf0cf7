/** The other side sends more than pawl reads of an answer. Its code reads as a system's one. */
export class AnswerTooLarge extends Error {
  readonly code = 'ANSWER_TOO_LARGE'
  constructor(maxBytes: number) {
    super(`an answer has more than ${maxBytes} bytes`)
  }
}

/** Max bytes of an answer, decoded. A page of a chart's search with its documents is far below. */
export const maxAnswerBytes = 67_108_864

/** Max bytes of an answer that holds a token, keys, metadata or nothing of use. */
export const maxShortAnswerBytes = 1_048_576

/** The bytes of a body, which ends its connection once it has more than `maxBytes`: rejects with `AnswerTooLarge`, or as the body does. */
export async function readBounded(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop destroys the stream.
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new AnswerTooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The platform's `fetch` with a bound on the decoded body, which is read before it resolves; for packages that take a `fetch`. */
export async function fetchBounded(address: string | URL, init: RequestInit, maxBytes: number): Promise<Response> {
  const answer = await fetch(address, init)
  if (answer.body === null) return answer
  const body = await readBounded(answer.body, maxBytes)
  return new Response(new Uint8Array(body), answer)
}
