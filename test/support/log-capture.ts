export { captureLog } from '../../src/testing/capture-log.ts'
export type { LogCapture } from '../../src/testing/capture-log.ts'
