import { createServer } from 'node:http'
import { announce } from './announce.ts'

/** Takes webhooks and counts them; asked by a message from the parent process, it tells what came. */
const completed = new Set<string>()
let deliveries = 0
let lastAt = 0

const server = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    res.writeHead(202).end()
    deliveries++
    lastAt = Date.now()
    // The benchmark's own sandbox sends nothing else.
    const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { id: string; status: string } }
    if (data.status === 'completed') completed.add(data.id)
  })
})
process.on('message', () => process.send?.({ deliveries, completed: completed.size, lastAt }))
announce(server)
