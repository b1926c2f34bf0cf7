import { once, type EventEmitter } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { jwtVerify } from 'jose'
import { secret } from '../envelopes.ts'
import { announce } from './announce.ts'
import { answerParent } from './answer-parent.ts'

/**
 * Node-RED with one flow of its own nodes: webhook, GET of the PA, PUT of a document into the chart. It answers once the token is verified, as its own
 * pages show; ANSWERS=last: once the chart has taken the document.
 */
const { API_BASE_URL = '', FHIR_BASE_URL = '', USER_DIR = '', ANSWERS = 'first', NODE_RED = '' } = process.env

const verify = `
  try {
    await global.get('verify')(msg.req.headers['x-webhook-secret'])
  } catch {
    return [undefined, { ...msg, statusCode: 401, payload: {} }]
  }
  return [{ ...msg, url: '${API_BASE_URL}/prior-authorization/' + msg.payload.data.id }, undefined]`
const map = `
  const pa = msg.payload.data
  const system = 'https://clinic.example/identifiers/prior-authorization'
  msg.method = 'PUT'
  msg.url = '${FHIR_BASE_URL}/DocumentReference?identifier=' + encodeURIComponent(system + '|' + pa.id)
  msg.headers = { 'content-type': 'application/fhir+json' }
  msg.payload = {
    resourceType: 'DocumentReference',
    identifier: [{ system, value: pa.id }],
    status: 'current',
    type: { text: 'Administrative note' },
    content: [{ attachment: { contentType: 'text/plain', title: pa.prescription.drug_name + ': ' + pa.status } }],
  }
  return msg`
const done = `return { ...msg, statusCode: msg.statusCode < 300 ? 200 : 502, payload: {}, headers: {} }`

const answersFirst = ANSWERS === 'first'
const node = (id: string, type: string, wires: string[][], more: object = {}) => ({
  id,
  type,
  z: 'flow',
  wires,
  ...more,
})
const flow = [
  { id: 'flow', type: 'tab', label: 'PAs to the chart' },
  node('webhook', 'http in', [['verify']], { url: '/webhooks', method: 'post' }),
  node('verify', 'function', [answersFirst ? ['get', 'accepted'] : ['get'], ['answer']], { func: verify, outputs: 2 }),
  node('accepted', 'change', [['answer']], { rules: [{ t: 'set', p: 'payload', pt: 'msg', to: '{}', tot: 'json' }] }),
  node('get', 'http request', [['map']], { method: 'GET', ret: 'obj' }),
  node('map', 'function', [['put']], { func: map, outputs: 1 }),
  node('put', 'http request', [['done']], { method: 'use', ret: 'obj' }),
  node('done', 'function', [answersFirst ? [] : ['answer']], { func: done, outputs: 1 }),
  node('answer', 'http response', []),
]

/** The part of Node-RED that a program which embeds it calls. */
interface NodeRed {
  init(server: object, settings: object): void
  start(): Promise<void>
  httpNode(req: IncomingMessage, res: ServerResponse): void
  events: EventEmitter
}

const RED = createRequire(join(NODE_RED, 'package.json'))('node-red') as NodeRed
await writeFile(join(USER_DIR, 'flow.json'), JSON.stringify(flow))
const server = createServer((req, res) => RED.httpNode(req, res))
const key = new TextEncoder().encode(secret)
RED.init(server, {
  userDir: USER_DIR,
  flowFile: 'flow.json',
  httpNodeRoot: '/',
  httpAdminRoot: false,
  apiMaxLength: '5mb',
  logging: { console: { level: 'off' } },
  telemetry: { enabled: false },
  functionGlobalContext: { verify: (token = '') => jwtVerify(token, key, { algorithms: ['HS256'] }) },
})
const started = once(RED.events, 'flows:started')
await RED.start()
await started
answerParent()
announce(server)
