/** What `#pawl/testing` gives to whoever tests handlers and connectors of a fork. */
export { connectorContract } from './connector-contract.ts'
export type { ContractSubject, Rule, Stand } from './contract/subject.ts'
export { startFarSide } from './far-side.ts'
export type { FarSide, FarSideAnswer, FarSideRequest, Fault } from './far-side.ts'
