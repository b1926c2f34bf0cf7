import { type LineRequest, forward, type LineAnswer } from '@pawl/testing/lines/line'

/** Stands in for the integration's own systems: forwards to the intended server. If none answers, accepts everything and keeps what was PUT. */
export function createFarSide(): (request: LineRequest) => Promise<LineAnswer> {
  const kept = new Map<string, string>()
  let count = 0

  function answer({ method, path, body }: LineRequest): LineAnswer {
    const json = (status: number, text: string) => ({
      status,
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    const [place = ''] = path.split('?')
    if (method === 'GET' || method === 'HEAD') {
      const found = kept.get(place)
      return found === undefined ? json(404, '{}') : json(200, found)
    }
    if (method === 'DELETE') {
      kept.delete(place)
      return { status: 204, headers: {}, body: '' }
    }
    if (method === 'PUT') kept.set(place, body)
    count += 1
    return json(method === 'POST' ? 201 : 200, JSON.stringify({ id: String(count) }))
  }

  return async (request) => {
    const [, scheme = 'http', host = '', path = '/'] = /^\/(https?)_([^/]+)(\/.*)?$/.exec(request.path) ?? []
    const isInvented = /(^|\.)(example|invalid|test|example\.(com|org|net))(:\d+)?$/.test(host)
    if (isInvented) return answer(request)
    return forward(`${scheme}://${host}`, { ...request, path }).catch(() => answer(request))
  }
}
