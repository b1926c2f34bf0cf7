import { createServer } from 'node:http'
import { priorAuthorization } from '../envelopes.ts'
import { announce } from './announce.ts'
import { answerParent } from './answer-parent.ts'

/** A played service: answers GET of any of the benchmarks' PAs at once, in the state that its webhooks tell of. */
let reads = 0
const server = createServer((req, res) => {
  const pa = Number(/^\/prior-authorization\/pa_req_bench(\d+)$/.exec(req.url ?? '')?.[1])
  reads += 1
  const body = Buffer.from(JSON.stringify({ status: 'success', data: priorAuthorization({ pa, version: reads }) }))
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  res.end(body)
})
answerParent({ reads: () => reads })
announce(server)
