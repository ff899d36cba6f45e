import './dom.mjs';
