/** What `#pawl/testing` gives to whoever tests handlers and connectors of a fork. */
export { startFarSide } from './far-side.ts'
export type { FarSide, FarSideAnswer, FarSideRequest, Fault } from './far-side.ts'
