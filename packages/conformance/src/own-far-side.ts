import { type Asked, forward, type LineAnswer } from '@pawl/testing/lines/line'

/** The far side of an integration's own systems: forwards to the one that was meant; where none answers, it takes everything, and keeps what was put. */
export function createFarSide(): (asked: Asked) => Promise<LineAnswer> {
  const kept = new Map<string, string>()
  let count = 0

  function answer({ method, path, body }: Asked): LineAnswer {
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

  return async (asked) => {
    const [, scheme = 'http', host = '', path = '/'] = /^\/(https?)_([^/]+)(\/.*)?$/.exec(asked.path) ?? []
    const isInvented = /(^|\.)(example|invalid|test|example\.(com|org|net))(:\d+)?$/.test(host)
    if (isInvented) return answer(asked)
    return forward(`${scheme}://${host}`, { ...asked, path }).catch(() => answer(asked))
  }
}
