import { readConfig } from '../../../src/settings/read-config.ts'
import { type Gateway, startGateway } from '../../../src/gateway.ts'
import type { AnyIntegration } from '../../../src/work/integration.ts'
import { shippedHandlers } from '../../../templates/index.ts'
import { createLog } from '@pawl/base/log'
import { createInstrument } from './instrument.ts'
import { leadTemporaryFiles } from './process-watch.ts'
import { Order, type Report } from './orders.ts'

/** Entry point of the process under test: loads an integration, runs pawl with it, and may load another between two runs. */
function followOrders(): void {
  let loaded: { integration: AnyIntegration; watched: AnyIntegration } | undefined
  let gateway: Gateway | undefined
  let leftBehind: (() => Promise<string[]>) | undefined
  let offsetMs = 0
  const { now } = Date
  const clock = { now: () => now() + offsetMs }
  const report = (message: Report) => void process.send?.(message)
  const instrument = createInstrument((trace) => report({ report: 'trace', trace }))

  async function load(integrationUrl: string): Promise<void> {
    // The compiler cannot see the module's default export; the start fails on anything but an integration.
    const { default: integration } = (await import(integrationUrl)) as { default: AnyIntegration }
    loaded = { integration, watched: instrument.wrap(integration) }
    const handlers = integration.handlers.map((handler) => ({
      name: handler.name,
      on: [...handler.on],
      isShipped: shippedHandlers.some((shipped) => shipped === handler),
    }))
    report({ report: 'loaded', handlers, settings: Object.keys(integration.settings) })
  }

  async function follow(order: Order): Promise<void> {
    switch (order.order) {
      case 'load':
        return load(order.integrationUrl)
      case 'start': {
        if (loaded === undefined) throw new Error('No integration is loaded.')
        const { integration, watched } = loaded
        leadTemporaryFiles(order.route.temporary)
        // Node takes it from now on.
        process.env.TZ = order.env.TZ
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
    const order = Order.parse(message)
    follow(order).catch((error: unknown) => {
      // Uncaught, so that Node prints where the integration is wrong, and exits.
      if (order.order === 'load') throw error
      report({ report: 'failed', message: error instanceof Error ? error.message : 'unknown' })
    })
  })
  // The parent has exited.
  process.on('disconnect', () => process.exit(0))
}

followOrders()
