import { z } from 'zod'

/** The message is a sentence that tells the fix. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

/** Calls a running sandbox; throws `CommandFailed` without an answer, or if another program answers. */
export async function reachSandbox(url: string, path: string, request: RequestInit = {}): Promise<Response> {
  const response = await fetch(`${url}${path}`, request).catch(() => {
    throw new CommandFailed(
      `Nothing answers at ${url}. Start a sandbox in another terminal with npm run sandbox (or npx pawl sandbox), or give its port with --port.`,
    )
  })
  if (response.status < 300) return response
  const text = await response.text()
  throw new CommandFailed(
    refusalIn(text) ?? `The server at ${url} is not a sandbox (${response.status}): choose another --port.`,
  )
}

/** Description in a sandbox's refusal. */
function refusalIn(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text)
    const parsed = Refused.safeParse(body)
    if (!parsed.success) return undefined
    if ('error' in parsed.data) return parsed.data.error.description
    return parsed.data.detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('\n')
  } catch {
    return undefined
  }
}

const Refused = z.union([
  z.object({ error: z.object({ description: z.string() }) }),
  z.object({ detail: z.array(z.object({ loc: z.array(z.string()), msg: z.string() })) }),
])
