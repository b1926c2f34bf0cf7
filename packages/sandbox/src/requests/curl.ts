import type { LoggedRequest } from './request-log.ts'

/** The request as a shell command, with `$TOKEN` in place of the API token. Undefined if the log lacks a part of its body. */
export function curlOf({ method, path, contentType, body }: LoggedRequest, base: string): string | undefined {
  if (body?.isWhole === false) return undefined
  const parts = [
    `curl -sS -X ${method} ${quoted(base + path)}`,
    ...(path.startsWith('/_sandbox/') ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(contentType === undefined ? [] : [`-H ${quoted(`Content-Type: ${contentType}`)}`]),
    // Unlike `-d`, it never reads a file.
    ...(body === undefined ? [] : [`--data-raw ${quoted(body.text)}`]),
  ]
  return parts.join(' \\\n  ')
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
