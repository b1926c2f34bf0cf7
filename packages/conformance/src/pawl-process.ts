import { readConfig } from '../../../src/settings/read-config.ts'
import { type Gateway, startGateway } from '../../../src/gateway.ts'
import type { AnyIntegration } from '../../../src/work/integration.ts'
import { shippedHandlers } from '../../../templates/index.ts'
import { createLog } from '@pawl/base/log'
import { createInstrument } from './instrument.ts'
import { leadTemporaryFiles } from './process-watch.ts'
import { Order, type Report } from './orders.ts'

/** Entry point of the process under test: loads the integration from `integrationUrl` and follows orders. */
async function followOrders(integrationUrl: string): Promise<void> {
  // The compiler cannot see the module's default export; the start fails on anything but an integration.
  const { default: integration } = (await import(integrationUrl)) as { default: AnyIntegration }
  let gateway: Gateway | undefined
  let leftBehind: (() => Promise<string[]>) | undefined
  let offsetMs = 0
  const { now } = Date
  const clock = { now: () => now() + offsetMs }
  const report = (message: Report) => void process.send?.(message)
  const instrument = createInstrument((trace) => report({ report: 'trace', trace }))
  const watched = instrument.wrap(integration)

  async function follow(order: Order): Promise<void> {
    switch (order.order) {
      case 'start': {
        leadTemporaryFiles(order.route.temporary)
        instrument.lead(order.route)
        leftBehind = instrument.watch()
        const config = readConfig(order.env, integration.settings)
        // As in production, foreign error messages are dropped: they may hold patient data.
        gateway = await startGateway(config, watched, { clock, log: createLog({ level: config.logLevel }) })
        return report({ report: 'started', url: gateway.url ?? '', adminUrl: gateway.adminUrl })
      }
      case 'stop': {
        const began = performance.now()
        await gateway?.close()
        gateway = undefined
        const tookMs = performance.now() - began
        return report({ report: 'stopped', tookMs, left: (await leftBehind?.()) ?? [] })
      }
      case 'set_clock':
        offsetMs = order.offsetMs
        instrument.setClock(offsetMs)
        return report({ report: 'clock_set' })
    }
  }

  process.on('message', (message) => {
    follow(Order.parse(message)).catch((error: unknown) => {
      report({ report: 'failed', message: error instanceof Error ? error.message : 'unknown' })
    })
  })
  // The parent has exited.
  process.on('disconnect', () => process.exit(0))
  const handlers = integration.handlers.map((handler) => ({
    name: handler.name,
    on: [...handler.on],
    isShipped: shippedHandlers.some((shipped) => shipped === handler),
  }))
  report({ report: 'loaded', handlers, settings: Object.keys(integration.settings) })
}

const [, , integrationUrl] = process.argv
if (integrationUrl === undefined) throw new Error('Name the module of the integration.')
await followOrders(integrationUrl)
