export { captureLog } from '../../packages/testing/src/capture-log.ts'
export type { LogCapture } from '../../packages/testing/src/capture-log.ts'
