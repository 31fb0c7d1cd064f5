export { chartElement, type ChartEnvironment } from "./chart/element.js";
