package foreign

var Lossy = lossy
