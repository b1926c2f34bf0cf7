import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (name: string) => fileURLToPath(new URL(`src/${name}`, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: '#pawl/connector', replacement: source('connector.ts') },
      { find: '#pawl/gateway', replacement: source('gateway.ts') },
      { find: '#pawl', replacement: source('index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts', 'templates/**/*.test.ts', 'src/integration/**/*.test.ts'],
    // What never comes is named by whoever waits for it (`until`); these are for what hangs, and longer than the waits of one test together.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
  },
})
