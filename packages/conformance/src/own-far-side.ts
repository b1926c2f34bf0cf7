import { type LineRequest, forward, type LineAnswer } from '@pawl/testing/lines/line'
import { fieldsOf } from './fields-of.ts'

/** Stands in for the integration's own systems: forwards to the intended server. If none answers, accepts everything, keeps what was PUT and POSTed, and finds it again. */
export function createFarSide(): (request: LineRequest) => Promise<LineAnswer> {
  const kept = new Map<string, string>()
  let count = 0

  /** What was posted to a collection, with the values of a query. */
  function found(place: string, query: string): string[] {
    const isWanted = (text: string) => {
      const record = fieldsOf(text)
      return [...new URLSearchParams(query)].every(([name, value]) => String(record[name]) === value)
    }
    return [...kept].flatMap(([path, text]) =>
      path.slice(0, path.lastIndexOf('/')) === place && isWanted(text) ? [text] : [],
    )
  }

  function answer({ method, path, body }: LineRequest): LineAnswer {
    const json = (status: number, text: string) => ({
      status,
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    const [place = '', query] = path.split('?')
    if (method === 'GET' || method === 'HEAD') {
      const held = kept.get(place)
      if (held !== undefined) return json(200, held)
      return query === undefined ? json(404, '{}') : json(200, `[${found(place, query).join(',')}]`)
    }
    if (method === 'DELETE') {
      kept.delete(place)
      return { status: 204, headers: {}, body: '' }
    }
    count += 1
    const id = String(count)
    if (method === 'POST') kept.set(`${place}/${id}`, JSON.stringify({ ...fieldsOf(body), id }))
    else if (method === 'PATCH') kept.set(place, JSON.stringify({ ...fieldsOf(kept.get(place)), ...fieldsOf(body) }))
    else kept.set(place, body)
    return json(method === 'POST' ? 201 : 200, JSON.stringify({ id }))
  }

  return async (request) => {
    const [, scheme = 'http', host = '', path = '/'] = /^\/(https?)_([^/]+)(\/.*)?$/.exec(request.path) ?? []
    const isInvented = /(^|\.)(example|invalid|test|example\.(com|org|net))(:\d+)?$/.test(host)
    if (isInvented) return answer(request)
    return forward(`${scheme}://${host}`, { ...request, path }).catch(() => answer(request))
  }
}
