import { createServer } from 'node:http'
import { announce } from './announce.ts'
import { answerParent } from './answer-parent.ts'

/** The floor: read the body, answer 200. */
const server = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 })
    res.end('{}')
  })
})
answerParent()
announce(server)
