# How a room of src/ becomes a library, and its tests a program.

# vtmirror_room(NAME [SMALL] [USES ROOM...] [PUBLIC TARGET...] [PRIVATE TARGET...])
# A static library of src/NAME/*.cpp, `main.cpp` excepted, under the name vtmirror::NAME. It links the rooms below it that USES names, and
# nothing beside them. A room of headers alone has nothing to compile. SMALL: it computes little, so that a release compiles it for size.
function(vtmirror_room room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SMALL" "" "USES;PUBLIC;PRIVATE")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  list(TRANSFORM arg_USES PREPEND vtmirror::)
  if(sources)
    add_library(vtmirror_${room} STATIC ${sources})
    target_link_libraries(vtmirror_${room} PUBLIC vtmirror::flags ${arg_USES} ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
    target_include_directories(vtmirror_${room} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    if(arg_SMALL)
      target_compile_options(vtmirror_${room} PRIVATE $<$<CONFIG:Release>:-Os>)
    endif()
  else()
    add_library(vtmirror_${room} INTERFACE)
    target_link_libraries(vtmirror_${room} INTERFACE vtmirror::flags ${arg_USES} ${arg_PUBLIC})
  endif()
  add_library(vtmirror::${room} ALIAS vtmirror_${room})
  vtmirror_room_tests(${room})
endfunction()

# One program of tests/NAME/*_test.cpp, where there are any.
function(vtmirror_room_tests room)
  if(NOT BUILD_TESTING)
    return()
  endif()
  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${room}/*_test.cpp)
  if(tests)
    vtmirror_test_program(${room}_test ${tests})
    target_include_directories(${room}_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${room}_test PRIVATE vtmirror::${room})
    add_test(NAME ${room} COMMAND ${room}_test WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
    set_tests_properties(${room} PROPERTIES SKIP_RETURN_CODE 77 LABELS room)
    vtmirror_ends_within(${room} 300)
  endif()
endfunction()

# A test that takes longer than SECONDS has failed. A sanitizer's programs take several times as long as others.
function(vtmirror_ends_within test seconds)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    math(EXPR seconds "${seconds} * 6")
  endif()
  set_tests_properties(${test} PROPERTIES TIMEOUT ${seconds})
endfunction()

# A doctest program of SOURCES with the common main, which ends with 77 if it skipped every case.
function(vtmirror_test_program name)
  add_executable(${name} ${ARGN} ${PROJECT_SOURCE_DIR}/tests/support/main.cpp)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/support/main.cpp PROPERTIES
    COMPILE_DEFINITIONS "VTMIRROR_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\"")
  target_link_libraries(${name} PRIVATE vtmirror::test_support)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()

# The simulated years go through some rooms a million times: without optimisation they would take twice as long.
function(vtmirror_often_run target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O1>)
endfunction()
