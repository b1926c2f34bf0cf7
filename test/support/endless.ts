import type { ServerResponse } from 'node:http'

/** The bytes that an answer without end repeats: the beginning of no JSON is ever wrong, so that only a bound ends it. */
const bytes = Buffer.alloc(262_144, ' ')

/** Answers 200 with JSON that never ends, for as long as it is read. */
export function answerWithoutEnd(response: ServerResponse): void {
  const go = () => {
    if (!response.destroyed) response.write(bytes, go)
  }
  response.on('error', () => {})
  response.writeHead(200, { 'content-type': 'application/json' })
  go()
}
