import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { SubcommandOf } from '../command-line.ts'
import { reachSandbox } from './reach-sandbox.ts'

const Listed = z.looseObject({
  id: z.number(),
  at: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.number().optional(),
  code: z.string().optional(),
  duration_ms: z.number(),
})
const Page = z.object({ data: z.array(Listed), next_cursor: z.string().nullable() })

const Body = z.object({ text: z.string(), bytes: z.number(), is_whole: z.boolean() })
const One = z.object({
  data: Listed.extend({ body: Body.optional(), answer: Body.optional(), curl: z.string().optional() }),
})

/** How often a follower polls, in milliseconds. */
const pollMs = 300

/** Prints the newest requests of a running sandbox, oldest first; with `follow`, continues until it ends. */
export async function showLogs(
  about: Omit<SubcommandOf<'logs'>, 'id'> & { url: string },
  print: (line: string) => void,
): Promise<void> {
  const { url, filter, limit, follow, json } = about
  const read = async (query: Record<string, string>) => {
    const search = new URLSearchParams({ ...filter, ...query })
    return Page.parse(await (await reachSandbox(url, `/_sandbox/requests?${search.toString()}`)).json())
  }
  const show = (requests: z.infer<typeof Listed>[]) => {
    for (const one of requests) print(json ? JSON.stringify(one) : lineOf(one))
  }
  const { data: newest } = await read({ limit: String(limit) })
  show(newest.toReversed())
  let last = newest[0]?.id ?? 0
  if (!follow) return
  for (;;) {
    await sleep(pollMs)
    const { data } = await read({ order: 'oldest', limit: '1000', cursor: String(last) })
    show(data)
    last = data.at(-1)?.id ?? last
  }
}

/** Prints one request with its body, answer and curl command. */
export async function showRequest(
  about: { url: string; id: string; json: boolean },
  print: (line: string) => void,
): Promise<void> {
  const { url, id, json } = about
  const { data } = One.parse(await (await reachSandbox(url, `/_sandbox/requests/${encodeURIComponent(id)}`)).json())
  if (json) {
    print(JSON.stringify(data))
    return
  }
  const { body, answer, curl } = data
  print(lineOf(data))
  for (const [name, text] of [
    ['Body', textOf(body)],
    ['Answer', textOf(answer)],
    ['As curl', curl ?? 'The log has only a part of the body.'],
  ] as const)
    print(`\n${name}\n${text}`)
}

function lineOf({ id, at, method, path, status, code, duration_ms: took }: z.infer<typeof Listed>): string {
  const ending = code ?? (status === undefined ? 'no answer' : `${took} ms`)
  return `${at}  ${status ?? '---'}  ${method.padEnd(5)} ${path}  ${ending}  #${id}`
}

function textOf(body: z.infer<typeof Body> | undefined): string {
  if (body === undefined) return 'none'
  if (!body.is_whole) return `${body.text}… (${body.bytes} bytes)`
  try {
    return JSON.stringify(JSON.parse(body.text), null, 2)
  } catch {
    return body.text
  }
}
