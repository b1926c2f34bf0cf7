import { parseJson } from '@pawl/base/parse-json'
import { DetailBody, errorText } from 'pawl-client/schemas/documented-errors'

/** The message is a sentence with the remedy. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

/** Calls a running sandbox; throws `CommandFailed` if nothing or another program answers. */
export async function reachSandbox(url: string, path: string, request: RequestInit = {}): Promise<Response> {
  const response = await fetch(`${url}${path}`, request).catch(() => {
    throw new CommandFailed(
      `Nothing answers at ${url}. Start a sandbox in another terminal with npm run sandbox (or npx pawl sandbox), or pass its port with --port.`,
    )
  })
  if (response.status < 300) return response
  const body = parseJson(await response.text())
  // Other servers answer an unknown path with `{detail}`.
  const words = DetailBody.safeParse(body).success ? undefined : errorText(body)
  throw new CommandFailed(words ?? `The server at ${url} is not a sandbox (${response.status}): choose another --port.`)
}
