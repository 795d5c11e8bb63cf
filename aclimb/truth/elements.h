#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aclimb/core/dtype.h"

// Elements of any dtype, read and written as double.
namespace aclimb::truth {

// Element number `place` of a storage, to SizeOf(dtype) bytes of its own and back: of INT4, to the
// low half of a byte.
void LoadElement(const unsigned char* storage, int64_t place, DType dtype, unsigned char* element);
void StoreElement(unsigned char* storage, int64_t place, DType dtype, const unsigned char* element);

// Of an element in bytes of its own. Complex types give their real part.
double ReadElement(const unsigned char* at, DType dtype);
// An integer exactly; one of 64 bits without sign keeps its bits.
int64_t ReadInteger(const unsigned char* at, DType dtype);
// Rounds `value` once to the dtype; what is beyond an integer dtype becomes its nearest number.
void WriteElement(unsigned char* at, DType dtype, double value);
// What ReadInteger gives for a dtype of integers or BOOL.
void WriteInteger(unsigned char* at, DType dtype, int64_t value);
// The value that the dtype stores for `value`.
double Rounded(double value, DType dtype);

// Vectors of elements that lie one after the other in memory are converted quickly: the dtype is
// looked at once.
std::vector<unsigned char> WriteElements(const std::vector<double>& values, DType dtype);
std::vector<double> ReadElements(const std::vector<unsigned char>& elements, DType dtype);
std::vector<int64_t> ReadIntegers(const std::vector<unsigned char>& elements, DType dtype);

// The places of a view's elements within its storage, in elements from the first, in row-major
// order.
std::vector<int64_t> PlacesOf(const std::vector<int64_t>& shape,
                              const std::vector<int64_t>& strides);
// "[0, 2]" for the element with this number in row-major order.
std::string IndexText(const std::vector<int64_t>& shape, size_t number);

}  // namespace aclimb::truth
