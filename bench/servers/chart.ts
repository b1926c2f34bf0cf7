import { createServer, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { everything } from '../../test/support/charts/everything.ts'
import { capabilityStatement } from '../../test/support/charts/metadata.ts'
import { announce } from './announce.ts'
import { answerParent } from './answer-parent.ts'

/** A FHIR server that knows every patient and takes everything, in memory: 40 ms a request, however many come at once. */
const answersAfterMs = 40

interface Stored {
  resourceType: string
  id: string
  meta: { versionId: string }
  identifier?: { system?: string; value?: string }[]
}
interface Answer {
  status: number
  body: object
}

const held = new Map<string, Stored>()
const idsByIdentifier = new Map<string, string>()
const requests: Record<string, number> = {}
/** Writes of a resource that was there. */
let rewrites = 0
let isDown = false

const server = createServer((req, res) => {
  void readBody(req).then(async (body) => {
    await delay(answersAfterMs)
    const { status, body: answered } = isDown ? refused(503, 'transient') : answer(req, body)
    const text = JSON.stringify(answered)
    res.writeHead(status, { 'content-type': 'application/fhir+json', 'content-length': Buffer.byteLength(text) })
    res.end(text)
  })
})
server.keepAliveTimeout = 0
answerParent({
  requests: () => requests,
  identifiers: () => [...idsByIdentifier.keys()],
  rewrites: () => rewrites,
  down: () => (isDown = true),
  up: () => (isDown = false),
})
announce(server)

function answer({ method = '', url = '', headers }: IncomingMessage, body: string): Answer {
  const { pathname, searchParams } = new URL(url, 'http://chart.invalid')
  const [type = '', id] = pathname.slice(1).split('/')
  const identifier = searchParams.get('identifier')
  const kind = `${method} ${type}`
  requests[kind] = (requests[kind] ?? 0) + 1
  if (type === 'metadata') return { status: 200, body: capabilityStatement(everything) }
  if (type === 'Patient') {
    const patient = patientOf(id ?? identifier?.split('|').at(-1) ?? '')
    return { status: 200, body: id === undefined ? bundleOf([patient]) : patient }
  }
  const knownId = id ?? (identifier === null ? undefined : idsByIdentifier.get(`${type} ${identifier}`))
  const found = knownId === undefined ? undefined : held.get(`${type}/${knownId}`)
  if (method === 'GET' && id === undefined) return { status: 200, body: bundleOf(found === undefined ? [] : [found]) }
  if (method === 'GET') return found === undefined ? refused(404, 'not-found') : { status: 200, body: found }
  const expected = headers['if-match']
  if (expected !== undefined && expected !== `W/"${found?.meta.versionId}"`) return refused(412, 'conflict')
  return { status: found === undefined ? 201 : 200, body: store(type, found, JSON.parse(body) as Stored) } // a resource
}

function store(type: string, before: Stored | undefined, resource: Stored): Stored {
  if (before !== undefined) rewrites += 1
  const id = before?.id ?? String(held.size + 1)
  const stored = { ...resource, id, meta: { versionId: String(Number(before?.meta.versionId ?? 0) + 1) } }
  held.set(`${type}/${id}`, stored)
  for (const { system, value } of stored.identifier ?? []) idsByIdentifier.set(`${type} ${system}|${value}`, id)
  return stored
}

/** Every requested patient exists. */
function patientOf(number: string): Stored & { birthDate: string } {
  const identifier = [{ system: 'urn:oid:2.999.1.2', value: number }]
  return { resourceType: 'Patient', id: number, meta: { versionId: '1' }, identifier, birthDate: '1980-02-29' }
}

function bundleOf(resources: readonly object[]): object {
  return { resourceType: 'Bundle', type: 'searchset', entry: resources.map((resource) => ({ resource })) }
}

function refused(status: number, code: string): Answer {
  return { status, body: { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code }] } }
}

async function readBody(req: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of req.setEncoding('utf8')) body += String(chunk)
  return body
}
