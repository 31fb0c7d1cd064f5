export { tableElement, type TableEnvironment } from "./table/element.js";
