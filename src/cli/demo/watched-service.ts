import type { RequestListener } from 'node:http'

/** The service's app, reporting each read of one resource with this token; `onRead` gets the resource's id and the HTTP status. */
export function watchReads(
  app: RequestListener,
  token: string,
  onRead: (id: string, status: number) => void,
): RequestListener {
  return (req, res) => {
    const id = /^\/[\w-]+\/(\w+)$/.exec(req.url ?? '')?.[1]
    if (req.method === 'GET' && id !== undefined && req.headers.authorization === `Bearer ${token}`)
      res.once('finish', () => onRead(id, res.statusCode))
    app(req, res)
  }
}
